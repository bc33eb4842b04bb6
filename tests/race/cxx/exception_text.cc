// Copies of an exception share its text: whoever destroys the last copy does so after the other has read it.
// EXPECT: data-race RACE1/write RACE2/write
// EXPECT-OBJECT: global last
#include <stdexcept>
#include <string>
#include <thread>
#include "invisible.h"

char seen[2], last;

int main()
{
    auto *a = new std::runtime_error(std::string(40, 'x'));
    auto *b = new std::runtime_error(*a);
    std::thread one([a] {
        seen[0] = a->what()[1];
        BUG(last = 1;) // RACE1
        delete a;
        hidden_post(0);
    });
    std::thread two([b] {
        hidden_wait(0);
        seen[1] = b->what()[1];
        BUG(last = 2;) // RACE2
        delete b;
    });
    one.join();
    two.join();
    return seen[0] - seen[1];
}
