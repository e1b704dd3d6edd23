"""Build the extension module talweg._talweg: the C files of source/, and the library linked into it.

The library is built first, by CMake from the top of the repository. TALWEG_BUILD names a build folder that has
it already; outside the repository an installed talweg is used, as pkg-config finds it.
"""

import os
import shlex
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IN_REPOSITORY = (ROOT / "include" / "talweg" / "talweg.h").exists()


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def version():
    if IN_REPOSITORY:
        return (ROOT / "VERSION").read_text().strip()
    return output_of("pkg-config", "--modversion", "talweg")


def build_library(folder):
    """Make libtalweg.a in a folder of its own; return that."""
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DTALWEG_TESTS=OFF", "-DTALWEG_BENCH=OFF"]
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", folder, "--target", "talweg_static", "-j", jobs], check=True)
    return folder


def private_libraries(build):
    """What libtalweg.a needs, as talweg.pc says."""
    lines = (build / "talweg.pc").read_text().splitlines()
    return shlex.split(next(line for line in lines if line.startswith("Libs.private:")).partition(":")[2])


class BuildExtension(build_ext):
    """Find or make the library, then compile as usual."""

    def build_extension(self, extension):
        if IN_REPOSITORY:
            given = os.environ.get("TALWEG_BUILD")
            build = Path(given) if given else build_library(Path(self.build_temp).resolve() / "talweg")
            extension.include_dirs.append(str(ROOT / "include"))
            extension.extra_objects.append(str(build / "libtalweg.a"))
            extension.extra_link_args += private_libraries(build)
        else:
            extension.extra_compile_args += shlex.split(output_of("pkg-config", "--cflags", "talweg"))
            extension.extra_link_args += shlex.split(output_of("pkg-config", "--static", "--libs", "talweg"))
        super().build_extension(extension)


setup(
    version=version(),
    cmdclass={"build_ext": BuildExtension},
    ext_modules=[
        Extension(
            "talweg._talweg",
            sources=sorted(str(path.relative_to(HERE)) for path in (HERE / "source").glob("*.c")),
            depends=sorted(str(path.relative_to(HERE)) for path in (HERE / "source").glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000"), ("_POSIX_C_SOURCE", "200809L")],
            extra_compile_args=["-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wconversion", "-Wshadow"],
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
