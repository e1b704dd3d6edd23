/* team.c: the processes of an MPI communicator as a team of the library (talweg/team.h).
 *
 * The communication is in Python (../talweg/_team.py), with mpi4py: an object with rank, size, trades,
 * gather(data, offsets), broadcast(data), trade(other, mine, theirs) if trades is true, give_up(why) and
 * reason(). The library calls these functions from the calling thread, which has released the interpreter's
 * lock (job.c) and takes it for the call.
 */
#include <stdio.h>

#include "binding.h"

struct tw_py_team {
    tw_team team;
    PyObject *object;
    char why[512];
};

/* Take and release the interpreter's lock around a call of Python. An exception of another callback may be
 * pending (job.c); it is kept. */
typedef struct visit {
    PyGILState_STATE lock;
    PyObject *type, *value, *traceback;
} visit;

static visit enter(void)
{
    visit v = {.lock = PyGILState_Ensure()};
    PyErr_Fetch(&v.type, &v.value, &v.traceback);
    return v;
}

static void leave(visit v)
{
    PyErr_Restore(v.type, v.value, v.traceback);
    PyGILState_Release(v.lock);
}

/* The status of a call: TW_INTERRUPTED, which ends the team, if it returned False or raised an exception. The
 * exception is reported and dropped. */
static tw_status verdict(const tw_py_team *t, PyObject *result)
{
    bool good = result == Py_True;
    if (!result) PyErr_WriteUnraisable(t->object);
    Py_XDECREF(result);
    return good ? TW_OK : TW_INTERRUPTED;
}

static PyObject *offsets_of(const tw_team *team, const size_t *offset)
{
    PyObject *list = PyList_New((Py_ssize_t)team->size + 1);
    for (size_t r = 0; list && r <= team->size; r++) {
        PyObject *number = PyLong_FromSize_t(offset[r]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)r, number) != 0) Py_CLEAR(list);
    }
    return list;
}

static tw_status gather(void *user, void *data, const size_t *offset)
{
    const tw_py_team *t = user;
    visit v = enter();
    PyObject *list = offsets_of(&t->team, offset);
    PyObject *view = PyMemoryView_FromMemory(data, (Py_ssize_t)offset[t->team.size], PyBUF_WRITE);
    PyObject *result = list && view ? PyObject_CallMethod(t->object, "gather", "OO", view, list) : NULL;
    tw_status status = verdict(t, result);
    Py_XDECREF(list);
    Py_XDECREF(view);
    leave(v);
    return status;
}

static tw_status broadcast(void *user, void *data, size_t bytes)
{
    const tw_py_team *t = user;
    visit v = enter();
    PyObject *view = PyMemoryView_FromMemory(data, (Py_ssize_t)bytes, PyBUF_WRITE);
    tw_status status = verdict(t, view ? PyObject_CallMethod(t->object, "broadcast", "O", view) : NULL);
    Py_XDECREF(view);
    leave(v);
    return status;
}

static tw_status trade(void *user, size_t with, size_t bytes, const void *mine, void *theirs)
{
    const tw_py_team *t = user;
    visit v = enter();
    PyObject *number = PyLong_FromSize_t(with);
    PyObject *out = PyBytes_FromStringAndSize(mine, (Py_ssize_t)bytes);
    PyObject *in = PyMemoryView_FromMemory(theirs, (Py_ssize_t)bytes, PyBUF_WRITE);
    PyObject *result =
        number && out && in ? PyObject_CallMethod(t->object, "trade", "OOO", number, out, in) : NULL;
    tw_status status = verdict(t, result);
    Py_XDECREF(number);
    Py_XDECREF(out);
    Py_XDECREF(in);
    leave(v);
    return status;
}

static void give_up(void *user, tw_status status, const char *why)
{
    const tw_py_team *t = user;
    visit v = enter();
    (void)status;
    (void)verdict(t, PyObject_CallMethod(t->object, "give_up", "s", why ? why : ""));
    leave(v);
}

static const char *reason(void *user)
{
    tw_py_team *t = user;
    visit v = enter();
    PyObject *words = PyObject_CallMethod(t->object, "reason", NULL);
    PyObject *bytes = words && words != Py_None ? PyUnicode_AsUTF8String(words) : NULL;
    t->why[0] = '\0';
    if (bytes) snprintf(t->why, sizeof t->why, "%s", PyBytes_AsString(bytes));
    PyErr_Clear();
    Py_XDECREF(words);
    Py_XDECREF(bytes);
    leave(v);
    return t->why[0] ? t->why : NULL;
}

static bool read_size(PyObject *object, const char *name, size_t *out)
{
    PyObject *number = PyObject_GetAttrString(object, name);
    *out = number ? PyLong_AsSize_t(number) : 0;
    Py_XDECREF(number);
    return !PyErr_Occurred();
}

void tw_py_team_free(tw_py_team *team)
{
    if (!team) return;
    Py_DECREF(team->object);
    PyMem_Free(team);
}

/* Problem.share(team): from now on the problem's computations are those of a member
 * of the team; None: no team. */
PyObject *tw_py_share(PyObject *object, PyObject *with)
{
    tw_py_problem *self = (tw_py_problem *)object;
    tw_py_team *team = NULL;
    if (with != Py_None) {
        team = PyMem_Calloc(1, sizeof *team);
        if (!team) return PyErr_NoMemory();
        *team = (tw_py_team){.object = Py_NewRef(with)};
        team->team = (tw_team){
            .user = team, .gather = gather, .broadcast = broadcast, .give_up = give_up, .reason = reason};
        size_t trades = 0; /* True is 1 */
        if (!read_size(with, "rank", &team->team.rank) || !read_size(with, "size", &team->team.size) ||
            !read_size(with, "trades", &trades)) {
            tw_py_team_free(team);
            return NULL;
        }
        if (trades) team->team.trade = trade;
    }
    tw_status status = tw_context_set_team(self->ctx, team ? &team->team : NULL);
    tw_py_team_free(status == TW_OK ? self->team : team);
    if (status != TW_OK) return tw_py_raise(tw_py_state_of(object), status, tw_context_message(self->ctx));
    self->team = team;
    Py_RETURN_NONE;
}
