// A virtual call races with the destructor, which puts the base's table in.
// EXPECT: data-race RACE1 RACE2
// EXPECT-OBJECT: heap
#include <thread>
#include "invisible.h"

struct base {
    virtual int run()
    {
        return 1;
    }
    virtual ~base() // RACE1
    {               // RACE1
        finish();
    }
    void finish()
    {
        hidden_post(1);
        BUG(hidden_wait(2)); /* the other thread calls while the object is half destroyed */
    }
};
struct derived : base {
    int run() override
    {
        return 2;
    }
    ~derived() override // RACE1
    {
    }
};

static int seen;

int main()
{
    base *object = new derived;
    std::thread user([=] {
        BUG(hidden_wait(1));
        seen = object->run(); // RACE2
        hidden_post(2);
    });
    FIX(user.join());
    delete object; // RACE1
    BUG(user.join());
    return seen - PICK(seen, 2);
}
