/* array.c: memory shared with Python without copies: results as read-only buffers, and inputs from numpy.
 *
 * An Array exports the memory of a result by the buffer protocol. numpy.asarray(array) is a view of it that
 * keeps the Array alive, which keeps the result alive. This needs no numpy headers.
 */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

typedef struct array {
    PyObject_HEAD PyObject *owner;
    tw_py_view view;
} array;

PyObject *tw_py_array(const tw_py_state *state, PyObject *owner, const tw_py_view *view)
{
    array *self = PyObject_New(array, (PyTypeObject *)state->array);
    if (!self) return NULL;
    self->owner = Py_NewRef(owner);
    self->view = *view;
    return (PyObject *)self;
}

PyObject *tw_py_vector(const tw_py_state *state, PyObject *owner, const double *data, size_t n)
{
    tw_py_view view = {.data = data,
                       .format = "d",
                       .item_bytes = sizeof(double),
                       .dimensions = 1,
                       .shape = {(Py_ssize_t)n},
                       .strides = {sizeof(double)}};
    return tw_py_array(state, owner, &view);
}

static void dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((array *)object)->owner);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* numpy requests shape, strides and format. A request without them is refused:
 * it would misread strided memory. */
static int get_buffer(PyObject *object, Py_buffer *out, int flags)
{
    array *self = (array *)object;
    tw_py_view *v = &self->view;
    bool plain = (flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_FORMAT) != PyBUF_FORMAT;
    if ((flags & PyBUF_WRITABLE) || plain) {
        PyErr_SetString(PyExc_BufferError, "a result of talweg is read-only, with strides and a format");
        return -1;
    }
    *out = (Py_buffer){.buf = (void *)v->data,
                       .obj = Py_NewRef(object),
                       .itemsize = v->item_bytes,
                       .len = v->item_bytes,
                       .readonly = 1,
                       .ndim = v->dimensions,
                       .format = (char *)v->format,
                       .shape = v->shape,
                       .strides = v->strides};
    for (int k = 0; k < v->dimensions; k++) out->len *= v->shape[k];
    return 0;
}

static PyType_Slot slots[] = {
    TW_PY_SLOT(Py_tp_dealloc, dealloc),
    TW_PY_SLOT(Py_bf_getbuffer, get_buffer),
    {0, NULL},
};

PyType_Spec tw_py_array_spec = {
    .name = "talweg._talweg.Array",
    .basicsize = sizeof(array),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

/* ---- inputs ---- */

static bool is_doubles(const Py_buffer *b)
{
    return b->format && strcmp(b->format, "d") == 0;
}

/* Are rows contiguous, and columns at least one column apart? */
static bool is_column_major(const Py_buffer *b)
{
    Py_ssize_t item = sizeof(double);
    if (b->shape[0] > 1 && b->strides[0] != item) return false;
    return b->ndim == 1 || b->shape[1] <= 1 ||
           (b->strides[1] % item == 0 && b->strides[1] >= b->shape[0] * item);
}

bool tw_py_input_get(PyObject *from, const char *name, tw_py_input *out)
{
    *out = (tw_py_input){0};
    if (from == Py_None) return true;
    Py_buffer *b = &out->buffer;
    if (PyObject_GetBuffer(from, b, PyBUF_STRIDES | PyBUF_FORMAT) != 0) return false;
    if (!is_doubles(b) || b->ndim < 1 || b->ndim > 2 || !is_column_major(b)) {
        PyBuffer_Release(b);
        PyErr_Format(PyExc_TypeError, "%s: one or two dimensions of float64, column-major, are needed", name);
        return false;
    }
    out->data = b->buf;
    out->rows = (size_t)b->shape[0];
    out->columns = b->ndim == 2 ? (size_t)b->shape[1] : 1;
    out->ld = out->columns > 1 ? (size_t)b->strides[1] / sizeof(double) : out->rows;
    return true;
}

void tw_py_input_release(tw_py_input *input)
{
    if (input->data) PyBuffer_Release(&input->buffer);
    input->data = NULL;
}

double *tw_py_output_get(PyObject *from, const char *name, size_t count, Py_buffer *buffer)
{
    if (PyObject_GetBuffer(from, buffer, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_ANY_CONTIGUOUS) != 0)
        return NULL;
    if (is_doubles(buffer) && (size_t)buffer->len == count * sizeof(double)) return buffer->buf;
    PyBuffer_Release(buffer);
    PyErr_Format(PyExc_TypeError, "%s: %zu numbers of type float64 are needed", name, count);
    return NULL;
}

/* ---- names ---- */

bool tw_py_names_get(PyObject *from, tw_py_names *out)
{
    *out = (tw_py_names){0};
    if (from == Py_None) return true;
    Py_ssize_t count = PySequence_Size(from);
    if (count < 0 || !(out->name = calloc((size_t)count + 1, sizeof *out->name))) {
        if (count >= 0) PyErr_NoMemory();
        return false;
    }
    for (; out->count < (size_t)count; out->count++) {
        PyObject *name = PySequence_GetItem(from, (Py_ssize_t)out->count);
        if (name) out->name[out->count] = PyUnicode_AsUTF8AndSize(name, NULL);
        Py_XDECREF(name); /* the list keeps it alive */
        if (!out->name[out->count]) return false;
    }
    return true;
}

void tw_py_names_release(tw_py_names *names)
{
    free(names->name);
    *names = (tw_py_names){0};
}
