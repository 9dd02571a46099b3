//! Nothing that is linked passes unseen: what was built without us, or never comes to us, is read all the same, or named.

use super::support::{BAD, GOOD, Project, Said, Way, nvcc, shim};

/// CMake without the package, with these options.
fn configure(project: &Project, generator: &str, options: &[&str]) {
    let mut cmake = project.command("cmake");
    cmake.args(["-G", generator, "-S", ".", "-B", "b", "-DCMAKE_DISABLE_FIND_PACKAGE_scuba=ON"]);
    cmake.arg("-DCMAKE_CUDA_ARCHITECTURES=80").args(options);
    Said::from(cmake.output().unwrap()).status(0);
}

fn build(project: &Project, variables: &[(&str, &str)]) -> Said {
    let mut cmake = project.command("cmake");
    cmake.args(["--build", "b", "--parallel", "2"]).envs(variables.iter().copied());
    cmake.output().unwrap().into()
}

/// The compiler and the launcher see nvcc's commands alone: `main` and the sizes are in a unit that g++ compiles and links.
#[test]
fn a_launcher_alone_reads_what_other_compilers_compile() {
    let launcher = format!("-DCMAKE_CUDA_COMPILER_LAUNCHER={}", shim().display());
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display());
    for generator in ["Ninja", "Unix Makefiles", "Ninja Multi-Config"] {
        let project = Project::new("filter");
        project.replace("apps/two.cpp", GOOD, BAD);
        configure(&project, generator, &[&compiler, &launcher]);
        let said = build(&project, &[]);
        assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{generator}: {}", said.all());
        project.replace("apps/two.cpp", BAD, GOOD);
        build(&project, &[]).status(0).without_findings();
    }
}

/// Makefiles do not compile again for a new launcher: the first command that comes to us is of the one unit that was edited, and the
/// others lie in other folders than its source.
#[test]
fn a_launcher_over_a_plain_build_reads_what_lies_there() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", nvcc().display());
    configure(&project, "Unix Makefiles", &[&compiler]);
    build(&project, &[]).status(0);
    configure(&project, "Unix Makefiles", &[&format!("-DCMAKE_CUDA_COMPILER_LAUNCHER={}", shim().display())]);
    project.replace("kernels/clear.cu", "row[i] = 0.0f", "row[i] = 0");
    let said = build(&project, &[]);
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

#[test]
fn as_the_compiler_we_read_what_other_compilers_compile() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    configure(&project, "Ninja", &[&format!("-DCMAKE_CUDA_COMPILER={}", shim().display())]);
    let said = build(&project, &[]);
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

/// What was denied and then built with the shim off is no longer about to be compiled.
#[test]
fn a_denied_unit_that_was_built_without_us_is_denied_where_it_is_linked() {
    for way in [Way::Make, Way::CMakeNinja] {
        let project = Project::new("filter");
        project.replace("apps/two.cpp", GOOD, BAD);
        assert_ne!(project.build(way, 2, "").status, 0);
        let off = match way {
            Way::Make => {
                let mut make = project.command("make");
                make.arg(format!("NVCC={}", nvcc().display())).output().unwrap().into()
            }
            _ => project.build_with(way, 2, &[], &[("SCUBA_OFF", "1")]),
        };
        off.status(0);
        assert!(project.built(way, "two"));
        project.replace("kernels/clear.cu", "row[i] = 0.0f", "row[i] = 0");
        let said = project.build(way, 2, "");
        assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{way:?}: {}", said.all());
    }
}

/// Objects that a plain build left are read by the commands of the makefile, or named.
#[test]
fn objects_of_a_plain_build_are_read_or_named() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    let nvcc = format!("NVCC={}", nvcc().display());
    Said::from(project.command("make").arg(&nvcc).output().unwrap()).status(0);
    project.replace("kernels/clear.cu", "row[i] = 0.0f", "row[i] = 0");
    let said = project.scuba(&["build", "--", "make", &nvcc]);
    let text = said.all();
    assert!(text.contains("error[oob-global]") || text.contains("two.o was linked without being read"), "{text}");
    let strict = project.scuba(&["check", "--strict", "--message-format", "json"]);
    assert_ne!(strict.status, 0, "{}", strict.all());
}

/// A makefile that only nvcc's commands come from, the link among them.
#[test]
fn an_object_of_which_no_command_is_known_is_named_at_the_link() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    let nvcc = format!("NVCC={} {}", shim().display(), nvcc().display());
    let said = Said::from(project.command("make").arg(&nvcc).output().unwrap()).status(0);
    assert!(said.all().contains("two: two.o was linked without being read"), "{}", said.all());
    assert!(!said.all().contains("one: "), "{}", said.all());
    let strict = Said::from(project.command("make").args(["-B", &nvcc]).env("SCUBA_STRICT", "1").output().unwrap());
    assert_ne!(strict.status, 0, "{}", strict.all());
    assert!(strict.all().contains("SCUBA_STRICT: 1 object was linked without being read"), "{}", strict.all());
}

/// Objects that a makefile writes beside the project, not into it, are its own all the same.
#[test]
fn objects_beside_the_project_are_named_at_the_link() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    project.replace("Makefile", "build/", "$(O)/");
    project.replace("Makefile", "| build", "");
    let beside = tempfile::tempdir().unwrap();
    let mut make = project.command("make");
    make.arg(format!("O={}", beside.path().display())).arg("two");
    make.arg(format!("NVCC={} {}", shim().display(), nvcc().display()));
    let said = Said::from(make.output().unwrap()).status(0);
    assert!(said.all().contains("two.o was linked without being read"), "{}", said.all());
}

/// A compiler cache before the shim answers for all units: of separable compilation the link of device code still comes to the shim,
/// and the program is told of there.
#[test]
fn the_link_of_device_code_tells_of_a_program_whose_units_did_not_come() {
    let project = Project::new("separable");
    project.replace("lib/kernels.cu", "if (i < n) a[i]", "a[i]");
    let compiler = format!("-DCMAKE_CUDA_COMPILER={}", shim().display());
    configure(&project, "Ninja", &[&compiler]);
    build(&project, &[("SCUBA_OFF", "1")]).status(0);
    let device_link = "cmake_device_link.o";
    let found = std::process::Command::new("find").arg(project.root().join("b")).args(["-name", device_link]).output();
    let found = String::from_utf8(found.unwrap().stdout).unwrap();
    assert!(!found.is_empty());
    found.lines().for_each(|file| std::fs::remove_file(file).unwrap());
    let said = build(&project, &[]);
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

/// Where g++ links nothing of the link comes to us: the first command says so, and no other.
#[test]
fn a_makefile_that_links_by_another_program_is_told_once() {
    let project = Project::new("filter");
    project.replace(
        "Makefile",
        "\t$(NVCC) $(NVCCFLAGS) $^ -o $@",
        "\t$(CXX) $^ -o $@ -L$(CUDA_LIB) -lcudart_static -ldl -lrt -lpthread",
    );
    let library = nvcc().parent().unwrap().parent().unwrap().join("lib");
    let mut make = project.command("make");
    make.arg("-j2").arg(format!("NVCC={} {}", shim().display(), nvcc().display()));
    let said = Said::from(make.arg(format!("CUDA_LIB={}", library.display())).output().unwrap()).status(0);
    assert_eq!(said.all().matches("links with a program other than nvcc").count(), 1, "{}", said.all());
}

/// A linker on make's command line counts before the makefile's own.
#[test]
fn a_makefile_that_is_given_nvcc_to_link_by_is_told_nothing() {
    let project = four_units();
    let text = "LINK = $(CXX)\nNVCC = nvcc\napp: main.o size.o make.o run.o\n\t$(LINK) $^ -o $@\n%.o: %.cu\n\t$(NVCC) -arch=sm_80 -c $< -o $@\n";
    project.write("Makefile", text);
    let shim = format!("{} {}", shim().display(), nvcc().display());
    let variables = [format!("NVCC={shim}"), format!("LINK={shim} -arch=sm_80")];
    let said = with_toolkit(&project, "make", &[&variables[0], &variables[1]]).status(0);
    let named = "main.o, size.o were linked without being read";
    assert!(said.all().contains(named) && !said.all().contains("with a program other than nvcc"), "{}", said.all());
}

/// Which of two the makefile links by is not known before a link comes.
#[test]
fn a_makefile_that_may_link_by_another_program_is_told_once() {
    let project = Project::new("filter");
    let link = "\t$(NVCC) $(NVCCFLAGS) $^ -o $@";
    project.replace("Makefile", link, "\t$(LINK)");
    let text = project.read("Makefile");
    let host = "$(CXX) $^ -o $@ -L$(CUDA_LIB) -lcudart_static -ldl -lrt -lpthread";
    let choice = format!("ifdef CUDA_LIB\nLINK = {host}\nelse\nLINK = {}\nendif\n", link.trim());
    project.write("Makefile", &(choice + &text));
    let library = nvcc().parent().unwrap().parent().unwrap().join("lib");
    let build = || {
        let mut make = project.command("make");
        make.arg("-j2").arg(format!("NVCC={} {}", shim().display(), nvcc().display()));
        let said = Said::from(make.arg(format!("CUDA_LIB={}", library.display())).output().unwrap()).status(0);
        assert_eq!(said.all().matches("may link with a program other than nvcc").count(), 1, "{}", said.all());
    };
    build();
    // The next build says it again, and so does a check.
    project.replace("kernels/clear.cu", "row[i] = 0.0f", "row[i] = 0");
    build();
    let said = project.scuba(&["check"]);
    assert!(said.all().contains("may link with a program other than nvcc"), "{}", said.all());
}

/// `SCUBA_OFF` turns `scuba build` off as well.
#[test]
fn a_build_with_the_shim_off_is_passed_through() {
    let project = Project::new("filter");
    project.replace("apps/two.cpp", GOOD, BAD);
    let mut scuba = project.command(env!("CARGO_BIN_EXE_scuba"));
    scuba.args(["build", "--", "make", &format!("NVCC={}", nvcc().display())]).env("SCUBA_OFF", "1");
    let said = Said::from(scuba.output().unwrap()).status(0).without_findings();
    assert!(project.built(Way::Make, "two") && !project.root().join(".scuba").exists(), "{}", said.all());
}

/// Four units whose bug only all of them together show.
pub fn four_units() -> Project {
    let project = Project::new("stale");
    std::fs::remove_file(project.root().join("main.cu")).unwrap();
    for (name, text) in [
        ("api.h", "int size(int argc, char **argv);\nfloat *make(int n);\nvoid run(float *p, int n);\n"),
        (
            "size.cpp",
            "#include \"api.h\"\n#include <cstdlib>\nint size(int c, char **v) { return c > 1 ? std::atoi(v[1]) : 1000; }\n",
        ),
        (
            "make.cu",
            "#include \"api.h\"\nfloat *make(int n) { float *p; return cudaMalloc(&p, n * sizeof(float)) ? nullptr : p; }\n",
        ),
        (
            "run.cu",
            "#include \"api.h\"\n__global__ void fill(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n\
             void run(float *p, int n) { fill<<<(n + 127) / 128, 128>>>(p); }\n",
        ),
        (
            "main.cpp",
            "#include \"api.h\"\nint main(int argc, char **argv) {\n  int n = size(argc, argv);\n  if (n < 1) return 1;\n\
             \x20 float *p = make(n);\n  if (p) run(p, n);\n}\n",
        ),
    ] {
        project.write(name, text);
    }
    project
}

/// Runs a program that finds nvcc in its PATH, and what g++ needs for linking CUDA code in `LIBS`.
pub fn with_toolkit(project: &Project, program: &str, arguments: &[&str]) -> Said {
    let toolkit = nvcc().parent().unwrap().parent().unwrap().to_owned();
    let mut command = project.command(program);
    command.args(arguments);
    command.env("PATH", format!("{}:/usr/bin:/bin", toolkit.join("bin").display()));
    command.env("LIBS", format!("-L{} -lcudart_static -ldl -lrt -lpthread", toolkit.join("lib").display()));
    command.output().unwrap().into()
}

/// The four units built by a script.
fn scripted(script: &str) -> Said {
    with_toolkit(&four_units(), env!("CARGO_BIN_EXE_scuba"), &["build", "--", "sh", "-ec", script])
}

const NVCC_UNITS: &str = "nvcc -arch=sm_80 -c make.cu; nvcc -arch=sm_80 -c run.cu\n";

/// Host compilers that link what they compile, optimise when they link, and objects whose sources go away again.
#[test]
fn units_of_scripts_are_read_however_they_are_compiled() {
    for script in [
        "g++ -o app main.cpp size.cpp make.o run.o $LIBS",
        "g++ -flto -c main.cpp; g++ -flto -c size.cpp; gcc-ar rcs libs.a size.o; g++ -flto -o app main.o libs.a make.o run.o $LIBS",
        "cp run.cu made.cu; nvcc -arch=sm_80 -c made.cu -o run.o; rm made.cu run.cu; g++ -o app main.cpp size.cpp make.o run.o $LIBS",
        // A command in a response file, and a value in the word of its flag.
        "echo '-c size.cpp -o size.o' >r; g++ @r; g++ -c main.cpp -omain.obj; g++ -o app main.obj size.o make.o run.o $LIBS",
    ] {
        let said = scripted(&format!("{NVCC_UNITS}{script}"));
        assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{script}: {}", said.all());
    }
}

/// Copies, linker scripts, archives that were taken apart and put together again, and units that nvcc archives at once.
#[test]
fn objects_of_scripts_are_read_however_they_come_to_the_link() {
    for script in [
        "cp run.o copy.o; g++ -o app main.cpp size.cpp make.o copy.o $LIBS",
        "ar rcs libreal.a make.o run.o; echo 'GROUP ( libreal.a )' >libx.so; g++ -o app main.cpp size.cpp -L. -lx $LIBS",
        "ar rcs l.a make.o run.o; mkdir x; cd x; ar x ../l.a; cd ..; ar rcs libx.a x/*.o; rm -r x l.a; g++ -o app main.cpp size.cpp libx.a $LIBS",
        "rm make.o run.o; nvcc -arch=sm_80 -lib -o libx.a make.cu run.cu; g++ -o app main.cpp size.cpp libx.a $LIBS",
        "nvcc -arch=sm_80 -lib -o libx.a make.cu run.cu; g++ -o app main.cpp size.cpp libx.a $LIBS",
        // The object is of the header as it was when nvcc read it.
        "echo '#define GUARD' >guard.h; sed 's/[{] p/{ GUARD p/; 1i #include \"guard.h\"' run.cu >made.cu; nvcc -arch=sm_80 -c made.cu -o run.o; \
         echo '#define GUARD if (blockIdx.x < 0)' >guard.h; g++ -o app main.cpp size.cpp make.o run.o $LIBS",
    ] {
        let said = scripted(&format!("{NVCC_UNITS}{script}"));
        assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{script}: {}", said.all());
    }
}

/// The link by the shim is judged before the program lies there: the linker takes its time.
#[test]
fn a_unit_whose_source_went_away_is_judged_where_the_shim_links_it() {
    let script = "cp run.cu made.cu; \"$SHIM\" -arch=sm_80 -c made.cu -o run.o; rm made.cu run.cu; \"$SHIM\" -arch=sm_80 -c make.cu
        for u in size main; do \"$SHIM\" -arch=sm_80 -x cu -c $u.cpp; done
        mkdir slow; printf '#!/bin/sh\\nsleep 2; exec g++ \"$@\"' >slow/g++; chmod +x slow/g++
        \"$SHIM\" -ccbin slow/g++ -o app main.o size.o make.o run.o";
    let project = four_units();
    let mut sh = project.command("sh");
    let said = Said::from(sh.args(["-ec", script]).env("SHIM", shim()).output().unwrap());
    assert!(said.status != 0 && said.all().contains("error[oob-global]"), "{}", said.all());
}

/// A library that was built in a folder of its own and installed outside the project, and a folder that holds only a program with it.
#[test]
fn a_folder_that_is_named_takes_in_libraries_of_builds_beside_it() {
    let project = four_units();
    let script = "mkdir lib app prefix; touch lib/CMakeCache.txt; mv make.cu run.cu lib; cp api.h lib; mv main.cpp size.cpp api.h app
        cd lib; nvcc -arch=sm_80 -c make.cu; nvcc -arch=sm_80 -c run.cu; ar rcs libx.a make.o run.o; cp libx.a \"$AWAY\"
        cd ..; g++ -o app/app app/main.cpp app/size.cpp -L\"$AWAY\" -lx $LIBS";
    let away = tempfile::tempdir().unwrap();
    let script = script.replace("$AWAY", &away.path().to_string_lossy());
    with_toolkit(&project, env!("CARGO_BIN_EXE_scuba"), &["build", "--", "sh", "-ec", &script]);
    let said = with_toolkit(&project, env!("CARGO_BIN_EXE_scuba"), &["check", "app"]).status(1);
    assert!(said.all().contains("error[oob-global]"), "{}", said.all());
}

/// A link that failed made no program.
#[test]
fn a_link_that_failed_is_no_program_that_was_removed() {
    let said = scripted(&format!("{NVCC_UNITS}g++ -o app main.cpp make.o run.o $LIBS"));
    assert!(said.status != 0 && !said.all().contains("without being read"), "{}", said.all());
}

/// What cannot be read again is named.
#[test]
fn units_of_scripts_that_cannot_be_read_are_named() {
    for (script, named) in [
        (
            "g++ -x c++ -c - -o size.o <size.cpp; g++ -o app main.cpp size.o make.o run.o $LIBS",
            "size.o was linked without being read",
        ),
        (
            "cp size.cpp made.cpp; g++ -c made.cpp -o size.o; rm made.cpp; g++ -o app main.cpp size.o make.o run.o $LIBS",
            "made.cpp: host side not analysed",
        ),
        (
            "g++ -c size.cpp -o made.o; objcopy -N nothing --add-section .x=main.cpp made.o size.o; g++ -o app main.cpp size.o make.o run.o $LIBS",
            "size.o was linked without being read (written in this build",
        ),
        // An object that was compiled again past the shim.
        (
            "sed -i 's/[{] p/{ STORE/' run.cu; nvcc -arch=sm_80 '-DSTORE=if (0) p' -c run.cu; \
             SCUBA_OFF=1 nvcc -arch=sm_80 -DSTORE=p -c run.cu; g++ -o app main.cpp size.cpp make.o run.o $LIBS",
            "overwritten by another command, and checked as read before: run.o",
        ),
        (
            "mkdir t; mv make.o run.o t; g++ -c size.cpp -o t/size.o; g++ -c main.cpp -o t/main.o; cd t; g++ -o app *.o $LIBS; mv app ..; cd ..; rm -r t",
            "app was linked without being read",
        ),
        (
            "rm make.o run.o; t=$(mktemp -d); nvcc -arch=sm_80 -c make.cu -o $t/make.o; nvcc -arch=sm_80 -c run.cu -o $t/run.o; g++ -o $t/app main.cpp size.cpp $t/*.o $LIBS; \
             mv $t/app .; rm -r $t",
            "app was linked without being read",
        ),
        // Another object than the one that was read: facts of the first do not stand for it.
        (
            "cp run.cu made.cu; nvcc -arch=sm_80 -c made.cu -o run.o; echo '// more' >>made.cu; \
             SCUBA_OFF=1 nvcc -arch=sm_80 -O1 -DMORE -c made.cu -o run.o; echo >>run.o; rm made.cu run.cu; \
             g++ -o app main.cpp size.cpp make.o run.o $LIBS",
            "made.cu: ",
        ),
    ] {
        let said = scripted(&format!("{NVCC_UNITS}{script}")).status(0);
        assert!(said.all().contains(named), "{script}: {}", said.all());
    }
}
