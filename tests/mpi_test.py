#!/usr/bin/env python3
"""Runs assay-mpi under mpirun: the real all-reduces beside their simulation, and jobs that go wrong.

usage: mpi_test.py --assay-mpi BINARY [NAME...]        (default: every test)

Every job has a time limit, so that one that hangs is a failure. Jobs are small: 8 ranks on two cores take .6 s.
"""
import argparse
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

LIMIT = 100  # seconds for one job
DEFINED = ["linear", "recursive-doubling", "ring", "segmented-ring", "rabenseifner"]
BINARY = None


def environment(**more):
    # Open MPI's consent to run as root and to start more ranks than there are cores.
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", LC_ALL="C.UTF-8", TERM="dumb", COLUMNS="80", **more)


def job(ranks, *words, launch=(), cwd=None, env=None):
    """A job of `ranks` processes; its exit status, standard output and standard error."""
    command = ["mpirun", *launch, "-np", str(ranks), BINARY, *words]
    done = subprocess.run(command, env=env or environment(), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def shell_job(ranks, script, **more):
    done = subprocess.run(["mpirun", "-np", str(ranks), "sh", "-c", script], env=environment(**more),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def rows(output):
    """{algorithm: {column: value}} over all tables of a report."""
    out = {}
    for section in json.loads(output)["sections"]:
        for table in section["tables"]:
            for row in table["rows"]:
                out.setdefault(row["key"], {}).update(row["values"])
    return out


def measured(ranks, *words, **more):
    """The rows of a job in which everything must be as it should be."""
    status, output, errors = job(ranks, "allreduce", "-f", "json", *words, **more)
    expect(status == 0, f"{words} on {ranks} ranks: exit {status}\n{output}{errors}")
    expect("not what was asked" not in output, f"a choice did not act\n{output}")
    found = rows(output)
    for name, row in found.items():
        expect(row["repeats"] == row["ranks"] == "equal", f"{name}: {row}")
    return found


def write_npy(path, shape, numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(numbers)}f", *numbers))


def fails(status, errors, *texts):
    expect(status == 2, f"exit {status}\n{errors}")
    for text in texts:
        expect(errors.count(text) == 1, f"'{text}' not once in\n{errors}")


# --- what is right ----------------------------------------------------------------------------------------------------


def test_every_bit_is_the_simulations():
    for ranks, elements, words in [(8, 10000, []), (5, 1001, ["--dtype", "fp16", "--seed", "2"]),
                                   (6, 3, ["--dtype", "e4m3"]), (3, 500, ["--dtype", "e5m2", "--data", "heavy-tailed"]),
                                   (4, 300, ["--accumulate", "fp32"])]:
        found = measured(ranks, "-n", str(elements), *words)
        for name in DEFINED:
            expect(found[name]["simulation"] == elements, f"{ranks} ranks, {words}: {name}: {found[name]}")


def test_which_algorithms_give_the_same_bits():
    found = measured(8, "-n", "1000")
    result = {name: row["result"] for name, row in found.items()}
    expect(result["recursive-doubling"] == result["rabenseifner"], result)
    expect(result["ring"] == result["segmented-ring"], result)
    expect(len({result[name] for name in ("linear", "ring", "recursive-doubling")}) == 3, result)


def test_follows_the_operator_hop_by_hop():
    """Element 0 of a ring is r0 + r1 + r2 = 256 + 1 + 1. Each hop in BF16 stays at 256 (1 is half the spacing, 256 is
    even): off by 2/258. Summed in FP32 and rounded once it is 258, a number of BF16: exact."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "all.npy"
        write_npy(path, (3, 3), [256] * 3 + [1] * 6)
        hops = measured(3, "--data", str(path), "--algorithm", "ring,linear")
        once = measured(3, "--data", str(path), "--algorithm", "ring,linear", "--accumulate", "fp32")
        expect(abs(hops["ring"]["max"] - 2 / 258) < 1e-12, hops)
        expect(hops["linear"]["max"] == 0, hops)  # 256 + (1 + 1)
        expect(once["ring"]["max"] == once["linear"]["max"] == 0, once)


def test_a_choice_acts_whatever_the_environment_says():
    """An algorithm without dynamic rules is silently the default, and so is one that does not exist."""
    more = ("--mca", "coll_tuned_use_dynamic_rules", "0", "--mca", "coll_tuned_allreduce_algorithm", "3")
    found = measured(4, "-n", "400", launch=more)
    work = {name: row["additions"] for name, row in found.items()}
    expect(work["linear"] == 1200 and work["ring"] == 300 and work["recursive-doubling"] == 800, work)


def test_files_of_ranks():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numbers = [(rank * 37 + i * 11) % 101 / 7 - 6 for rank in range(4) for i in range(30)]
        write_npy(folder / "all.npy", (4, 30), numbers)
        for rank in range(4):
            write_npy(folder / f"rank{rank}.npy", (30,), numbers[rank * 30:rank * 30 + 30])
        one = measured(4, "--data", str(folder / "all.npy"))
        many = measured(4, "--data", str(folder / "rank%d.npy"))
        for row in [*one.values(), *many.values()]:
            row.pop("milliseconds")
        expect(one == many, f"{one}\n{many}")


def test_one_process_and_help():
    done = subprocess.run([BINARY, "allreduce"], env=environment(), capture_output=True, timeout=LIMIT, text=True,
                          check=False)
    expect(done.returncode == 0 and "nothing was summed" in done.stdout, done)
    status, output, _ = job(3, "allreduce", "--help")
    expect(status == 0 and output.count("usage: assay-mpi allreduce") == 1, output)


def test_output_file_and_language():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.txt"
        status, output, errors = job(2, "allreduce", "-n", "10", "--lang", "zh", "-o", str(path))
        expect(status == 0 and output == "", f"{output}{errors}")
        expect("逐位比较" in path.read_text(encoding="utf-8"), path.read_text(encoding="utf-8"))


# --- what goes wrong --------------------------------------------------------------------------------------------------


def test_wrong_usage_is_told_once():
    for words, text in [(["--algorithm", "rign"], "did you mean 'ring'?"),
                        (["--dtype", "fp32"], "FP32 is no format of at most 16 bits"),
                        (["--accumulate", "fp64"], "FP64 cannot be reduced"), (["--elements", "0"], "nothing to reduce"),
                        (["--data", "/nowhere/x.npy"], "/nowhere/x.npy"), (["--ranks", "4"], "unknown option '--ranks'"),
                        (["more"], "does not know what to do with 'more'")]:
        status, output, errors = job(2, "allreduce", *words)
        fails(status, errors, text)
        expect(output == "", output)


def test_files_that_do_not_fit():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_npy(folder / "rank0.npy", (4,), [1] * 4)
        write_npy(folder / "rank1.npy", (4,), [1] * 4)
        status, _, errors = job(3, "allreduce", "--data", str(folder / "rank%d.npy"))
        fails(status, errors, "3 processes were started, and there are data of 2 ranks")
        status, _, errors = job(2, "allreduce", "-n", "5", "--data", str(folder / "rank%d.npy"))
        fails(status, errors, "--elements says 5, the ranks have 4")
        write_npy(folder / "rank1.npy", (3,), [1] * 3)
        status, _, errors = job(2, "allreduce", "--data", str(folder / "rank%d.npy"))
        fails(status, errors, "ranks reduce buffers of one length")


def test_an_error_of_one_rank_alone():
    """Rank 2 stands in a folder without the data: the others are told, and none waits."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for rank in range(3):
            (folder / str(rank)).mkdir()
            if rank != 2:
                write_npy(folder / str(rank) / "all.npy", (3, 4), [1] * 12)
        status, _, errors = shell_job(
            3, f"cd {folder}/$OMPI_COMM_WORLD_RANK && exec {BINARY} allreduce --data all.npy")
        fails(status, errors, "rank 2: ", "all.npy")


def test_processes_that_were_told_different_things():
    status, _, errors = job(1, "allreduce", "-n", "5", ":", "-np", "1", BINARY, "allreduce", "-n", "6")
    fails(status, errors, "different words")
    status, _, errors = job(1, "allreduce", "-n", "5", ":", "-np", "1", BINARY, "--version")
    fails(status, errors, "different words")


def test_an_mpi_that_offers_no_choice():
    launch = ("--mca", "coll", "^tuned")
    found = measured(2, "-n", "50", launch=launch)
    expect(list(found) == ["default"], found)
    status, _, errors = job(2, "allreduce", "--algorithm", "ring", launch=launch)
    fails(status, errors, "does not let a program choose 'ring'")


def test_a_process_that_never_starts():
    """Open MPI ends the job for a status other than 0; after status 0 the others would wait for ever."""
    for status_of_one, text in [(3, "exit code"), (0, "MPI did not start")]:
        status, _, errors = shell_job(
            3, f"if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exit {status_of_one}; fi; exec {BINARY} allreduce",
            ASSAY_MPI_START_SECONDS="3")
        expect(status != 0 and text in errors, f"exit {status}\n{errors}")


def status_of(process):
    """Name, state and parent of a process, or None."""
    try:
        name, fields = pathlib.Path(f"/proc/{process}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
    except OSError:  # it has ended
        return None
    return name, fields.split()[0], int(fields.split()[1])


def ranks_of(process):
    """Process ids of assay-mpi right below `process`."""
    all_of = sorted(int(folder.name) for folder in pathlib.Path("/proc").glob("[0-9]*"))
    return [one for one in all_of if (status_of(one) or ("",))[::2] == ("assay-mpi", process)]


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def test_a_rank_that_is_killed():
    command = ["mpirun", "-np", "4", BINARY, "allreduce", "--elements", "1000", "--repeat", "1000000"]
    with subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as running:
        try:
            wait_until(lambda: len(ranks_of(running.pid)) == 4, 30)
            time.sleep(2)  # into the repeats: starting takes .5 s
            ranks = ranks_of(running.pid)
            expect(len(ranks) == 4 and running.poll() is None, f"{ranks} run")
            os.kill(ranks[2], signal.SIGKILL)
            output, errors = running.communicate(timeout=60)
        finally:
            if running.poll() is None:
                running.terminate()  # mpirun ends its ranks
    expect(running.returncode != 0, f"exit {running.returncode}")
    expect("signal 9" in errors and output == "", f"{output}{errors}")
    # mpirun may end a moment before its ranks do; one that nobody has asked for its status is a Z.
    expect(wait_until(lambda: all((status_of(rank) or ("", "Z"))[1] == "Z" for rank in ranks), 10), "a rank is left")


def main():
    global BINARY
    parser = argparse.ArgumentParser(description="Runs assay-mpi under mpirun.")
    parser.add_argument("--assay-mpi", required=True, type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    BINARY = str(options.assay_mpi.resolve())
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    chosen = options.names or list(tests)
    failed = 0
    for name in chosen:
        start = time.monotonic()
        try:
            tests[name]()
            print(f"ok      {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except (AssertionError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
            failed += 1
            print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
