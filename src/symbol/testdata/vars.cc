// Variables of namespaces, classes and functions of C++. The test knows their shapes.
namespace bank
{
int rate = 3;
struct Point {
    int x, y;
};
struct Shape {
    Point corner;
    static long shapes;
    inline static int made = 1;
    virtual int sides() const
    {
        return 0;
    }
};
struct Box : Shape {
    Point size[2];
    int sides() const override
    {
        return 4;
    }
};
long Shape::shapes = 1;
namespace
{
Box hidden_box;
}
Box &box()
{
    return hidden_box;
}
thread_local Point tls_point;
template <class T> T slot[2];
} // namespace bank

static int file_local[3];

int tick(int by)
{
    static int ticks;
    return ticks += by;
}

int main(int argc, char **)
{
    bank::box().size[1].y = argc;
    bank::box().corner.x = bank::rate++;
    bank::Shape::shapes += argc;
    bank::Shape::made += tick(argc);
    bank::tls_point.y = argc;
    bank::slot<short>[1] = argc;
    file_local[argc & 1] = bank::slot<short>[0] + bank::tls_point.x;
    return (file_local[0] + bank::box().sides()) & 1;
}
