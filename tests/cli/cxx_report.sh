# What a report says of C++: the program's own function and line, however the compiler inlined the library and wherever
# it found the headers; where a std::thread was made; nothing of snag's own calls.
. "$(dirname "$0")/lib.sh"
cat >report.cc <<'EOF'
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
static std::vector<int> numbers;
static std::once_flag flag;
static std::mutex lock;
static int once;
static void append(int n)
{
#ifdef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
    numbers.push_back(n);
}
static void first()
{
    once++; // in a function that the library calls
}
static void work()
{
    append(1);
    std::call_once(flag, first);
}
int main()
{
    numbers.reserve(8);
    std::thread made(work);
    append(2);
#ifndef FIXED
    once++;
#endif
    made.join();
    std::printf("%zu\n", numbers.size() + once);
}
EOF
# A snag of one's own name for a frame would be seen, too: its files and its library.
no_frames_of_snag() {
    if grep -E '^ *#[0-9]+ .*(libsnag|once\.c)' "$err"; then fail "snag's own frames are shown"; fi
}
for cc in $(compilers); do
    cxx=$(cxx_of $cc)
    command -v "$cxx" >/dev/null || continue
    for level in -O0 -O1 -O2; do
        SNAG_CXX=$cxx "$SNAG" c++ $level -g -pthread -o report report.cc
        expect 66 "$SNAG" race --no-store ./report
        says '^snag: data race on `numbers` in append'
        says '^snag: data race on `once` between .*first'
        says '^    #[1-9].*  main  *report.cc:29'
        grep '^    #.*\.\./' "$err" && fail "$cxx $level: a folder is named and left again"
        no_frames_of_snag
        SNAG_CXX=$cxx "$SNAG" c++ $level -g -pthread -DFIXED -o report report.cc
        expect 0 "$SNAG" race --no-store ./report
        silent
        prints '^3$'
    done
done
