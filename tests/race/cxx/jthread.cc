// std::jthread joins in its destructor; a stop request is no hand-over of other data.
// FLAGS: -std=c++20
// EXPECT: data-race RACE1/write RACE2/read
// EXPECT-OBJECT: global rounds
#include <thread>
#include "invisible.h"

int rounds, seen;

int main()
{
    {
        std::jthread worker([](std::stop_token stop) {
            hidden_post(0);
            while (!stop.stop_requested())
                std::this_thread::yield();
            rounds = 1; // RACE1
            hidden_post(1);
        });
        hidden_wait(0);
        worker.request_stop();
        hidden_wait(1);
        BUG(seen = rounds;) // RACE2
    }
    FIX(seen = rounds);
    return seen - 1;
}
