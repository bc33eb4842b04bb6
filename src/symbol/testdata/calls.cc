// Calls of methods, templates, lambdas and functions of unnamed namespaces: for names and frames.
#include <stdio.h>

static volatile int sink;

namespace bank
{
class Account
{
  public:
    explicit Account(int start) : balance(start)
    {
    }
    ~Account()
    {
        sink = balance;
    }
    void deposit(int amount);
    int total() const
    {
        return balance + sink;
    }
    template <class T> T scaled(T by) const
    {
        return by * total();
    }

  private:
    int balance;
};

inline int clamp(int v)
{
    return v < 0 ? sink : v;
}

void Account::deposit(int amount)
{
    balance += clamp(amount);
    if (balance > 100)
        throw balance;
}
} // namespace bank

namespace
{
struct Local {
    int n;
    int twice()
    {
        return helper() * 2;
    }
    int helper()
    {
        return n + sink;
    }
};

__attribute__((noinline)) int hidden(int x)
{
    Local l{x};
    return l.twice();
}
} // namespace

static __attribute__((noinline)) int plain(int x, const char *text)
{
    return x + text[0] + sink;
}

template <class F> __attribute__((noinline)) int apply(F f, int x)
{
    return f(x) + f(x + 1);
}

struct Base {
    virtual int work(int x)
    {
        return x + 1;
    }
    virtual ~Base()
    {
    }
};

struct Derived : Base {
    int work(int x) override
    {
        return bank::clamp(x) + 2;
    }
};

__attribute__((noinline)) int dispatch(Base &b, int x)
{
    return b.work(x);
}

int main(int argc, char **argv)
{
    bank::Account a(argc);
    Derived d;
    int sum = 0;
    try {
        a.deposit(argc * 2);
        sum += a.scaled(2L) + a.scaled(2);
    } catch (int v) {
        sum = v;
    }
    sum += apply([&](int x) { return x * sum + bank::clamp(x); }, argc);
    sum += hidden(argc) + plain(argc, argv[0]) + dispatch(d, sum);
    printf("%d\n", sum);
    return sum & 1;
}
