/*
 * parse_rule.c: the rules of a contract file: a verb, the object with its arguments, conditions,
 * and the functions.
 */
#include "contract/parser.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "store/xalloc.h"

static const struct verb {
    const char *word;
    enum sn_contract_act act;
    uint16_t does, conflicts;
} verbs[] = {
    {"read", SN_ACT_TOUCH, SN_CB_READ, SN_CB_WRITE},
    {"write", SN_ACT_TOUCH, SN_CB_WRITE, SN_CB_ALL},
    {"use", SN_ACT_TOUCH, SN_CB_WRITE, SN_CB_ALL},
    {"destroy", SN_ACT_DESTROY, SN_CB_WRITE, SN_CB_ALL},
    {"set", SN_ACT_SET, SN_CB_WRITE, SN_CB_ALL},
    {"freeze", SN_ACT_FREEZE, SN_CB_READ, SN_CB_WRITE},
    {"acquire", SN_ACT_ACQUIRE, 0, 0},
    {"acquire-shared", SN_ACT_ACQUIRE_SHARED, 0, 0},
    {"release", SN_ACT_RELEASE, 0, 0},
    {"release-shared", SN_ACT_RELEASE_SHARED, 0, 0},
    {"begin", SN_ACT_BEGIN, SN_CB_WRITE, SN_CB_ALL},
    {"end", SN_ACT_END, SN_CB_WRITE, SN_CB_ALL},
    {"only", SN_ACT_ONLY, SN_CB_WRITE, SN_CB_ALL},
    {"own", SN_ACT_OWN, 0, 0},
    {"reset", SN_ACT_RESET, 0, 0},
    {"lock", SN_ACT_LOCK, 0, 0},
    {"unlock", SN_ACT_UNLOCK, 0, 0},
    {"wait", SN_ACT_WAIT, 0, 0},
    {"signal", SN_ACT_SIGNAL, 0, 0},
    {"sync", SN_ACT_SYNC, 0, 0},
    {"drop", SN_ACT_DROP, 0, 0},
    {"send", SN_ACT_SEND, 0, 0},
    {"receive", SN_ACT_RECEIVE, 0, 0},
    {"alloc", SN_ACT_ALLOC, 0, 0},
    {"free", SN_ACT_FREE, 0, 0},
};

static const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].word, word) == 0)
            return &verbs[i];
    return NULL;
}

/* 1 to 6, result, self, outer1 to outer6; 0: none of them. */
static uint8_t operand(const char *word)
{
    if (strcmp(word, "result") == 0)
        return SN_ARG_RESULT;
    if (strcmp(word, "self") == 0)
        return SN_ARG_SELF;
    bool outer = strncmp(word, "outer", 5) == 0;
    word += outer ? 5 : 0;
    if (word[0] < '1' || word[0] > '6' || word[1])
        return 0;
    return (uint8_t)(word[0] - '0' + (outer ? SN_ARG_OUTER : 0));
}

static int read_value(struct sn_parser *p, const char *word, uint8_t *arg, uint8_t *load)
{
    *load = word[0] == '*';
    *arg = operand(word + *load);
    if (!*arg)
        return sn_parser_bad(p,
                             "an argument is 1 to 6 (or *1 to *6), result, self or outer1 to "
                             "outer6, not '%s'",
                             word);
    return 0;
}

static int read_arg(struct sn_parser *p, uint8_t *arg, uint8_t *load)
{
    return read_value(p, sn_parser_next(p), arg, load);
}

/* ARG, of a key also ARG,ARG, else also ARG+OFFSET */
static int read_place(struct sn_parser *p, bool key, struct sn_contract_effect *e)
{
    char *word = sn_xstrdup(sn_parser_next(p)), *rest = strpbrk(word, ",+");
    char sign = rest ? *rest : 0, *stop = "";
    int r = 0;
    if (rest)
        *rest++ = 0;
    if (sign == '+')
        e->offset = (uint16_t)strtoul(rest, &stop, 0);
    if ((sign == ',' && !key) || (sign == '+' && (key || !*rest || *stop)))
        r = sn_parser_bad(p,
                          "'%s' does not follow an argument here: a type has one, perhaps with "
                          "+OFFSET, a key one or two",
                          rest);
    if (r == 0)
        r = read_value(p, word, &e->arg, &e->load);
    if (r == 0 && sign == ',')
        r = read_value(p, rest, &e->arg2, &e->load2);
    free(word);
    return r;
}

static const struct {
    const char *word;
    enum sn_contract_how how;
} hows[] = {{"try", SN_HOW_TRY},     {"shared", SN_HOW_SHARED},     {"recursive", SN_HOW_RECURSIVE},
            {"quiet", SN_HOW_QUIET}, {"variadic", SN_HOW_VARIADIC}, {"any", SN_HOW_ANY}};

static bool accept_how(const char *word, struct sn_contract_effect *e)
{
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (strcmp(word, hows[i].word) == 0) {
            e->how |= (uint8_t)hows[i].how;
            return true;
        }
    return false;
}

/* [if ARG OP NUMBER] [when MODE | unless MODE] [on ARG] [long] [try …] */
static int read_conditions(struct sn_parser *p, struct sn_contract_effect *e)
{
    uint8_t load;
    while (p->at < p->n && strcmp(sn_parser_peek(p), ":") != 0) {
        const char *word = sn_parser_next(p);
        if (strcmp(word, "if") == 0) {
            if (read_arg(p, &e->test_arg, &load) || sn_parser_test(p, true, &e->test) ||
                sn_parser_number(p, &e->value))
                return -EINVAL;
            if (load)
                return sn_parser_bad(p, "'if' looks at an argument's value, not behind it");
        } else if (strcmp(word, "when") == 0 || strcmp(word, "unless") == 0) {
            int mode = sn_parser_mode(p, sn_parser_peek(p));
            if (mode < 0)
                return sn_parser_bad(p, "mode '%s' is not described above", sn_parser_peek(p));
            e->mode = (uint16_t)(mode + 1);
            e->mode_not = word[0] == 'u';
            p->at++;
        } else if (strcmp(word, "long") == 0 && e->does) {
            e->is_long = 1;
        } else if ((strcmp(word, "on") == 0 && e->act == SN_ACT_WAIT) ||
                   (strcmp(word, "of") == 0 && e->act == SN_ACT_ALLOC)) {
            if (read_arg(p, &e->arg2, &e->load2))
                return -EINVAL;
        } else if (e->does || !accept_how(word, e)) {
            return sn_parser_bad(p, "unknown key '%s' in a rule", word);
        }
    }
    return 0;
}

/* A * stands for anything. "@NAME": the callbacks of that name. */
static bool is_function(const char *name)
{
    bool callback = name[0] == '@';
    for (const char *s = name + callback; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr(callback ? "_-." : "_-.*", *s))
            return false;
    return name[callback] && name[0] != '*';
}

static int read_functions(struct sn_parser *p, const struct sn_contract_effect *e, bool exempt,
                          const char *callback)
{
    struct sn_contracts *c = p->c;
    if (!sn_parser_accept(p, ":"))
        return sn_parser_bad(p, "a rule ends with ': FUNCTION…'");
    if (p->at == p->n)
        return sn_parser_bad(p, "the rule names no function");
    while (p->at < p->n) {
        const char *name = sn_parser_next(p);
        if (!is_function(name))
            return sn_parser_bad(p, "'%s' is no function", name);
        c->rule = sn_xgrow(c->rule, c->nrules, &c->cap_rules, sizeof *c->rule);
        c->rule[c->nrules++] =
            (struct sn_contract_rule){.function = sn_xstrdup(name),
                                      .lib = p->lib,
                                      .exempt = exempt,
                                      .effect = *e,
                                      .callback = callback ? sn_xformat("@%s", callback) : NULL};
    }
    return 0;
}

static int read_object(struct sn_parser *p, struct sn_contract_effect *e)
{
    const char *name = sn_parser_next(p);
    struct sn_contract_type *t = sn_parser_type(p, name);
    if (!t)
        return sn_parser_bad(p, "'%s' is neither a type nor a state described above", name);
    e->object = (uint32_t)(t - p->c->type);
    return t->hidden ? 0 : read_place(p, t->key, e);
}

static int finish_rule(struct sn_parser *p, struct sn_contract_effect *e)
{
    int r = read_object(p, e);
    if (r == 0)
        r = read_conditions(p, e);
    if (r == 0 && e->mode && sn_contract_is_order(e))
        r = sn_parser_bad(p, "what orders threads does so in every mode");
    return r ? r : read_functions(p, e, false, NULL);
}

/* role ROLE TYPE ARG …: two calls of one role conflict, and each with a write. */
static int line_role(struct sn_parser *p)
{
    struct sn_contract_effect e = {.act = SN_ACT_TOUCH, .line = (uint32_t)p->line};
    const char *role = sn_parser_next(p);
    struct sn_contract_type *t = sn_parser_type(p, sn_parser_peek(p));
    for (unsigned i = 0; t && i < t->nroles; i++)
        if (strcmp(t->role[i], role) == 0)
            e.does = (uint16_t)(SN_CB_FIRST_ROLE << i);
    if (!e.does)
        return sn_parser_bad(p, "'%s' is no role of '%s'", role, sn_parser_peek(p));
    e.conflicts = e.does | SN_CB_WRITE;
    return finish_rule(p, &e);
}

/* mark MODE TYPE ARG …: the object gets the mark. */
static int line_mark(struct sn_parser *p)
{
    struct sn_contract_effect e = {.act = SN_ACT_MARK, .line = (uint32_t)p->line};
    const char *name = sn_parser_next(p);
    int mode = sn_parser_mode(p, name), r = read_object(p, &e);
    if (r)
        return r;
    if (mode < 0 || p->c->mode[mode].kind != SN_MODE_MARK)
        return sn_parser_bad(p, "'%s' is no mode of kind mark", name);
    r = read_conditions(p, &e);
    if (r == 0 && e.mode)
        return sn_parser_bad(p, "a mark depends on arguments only");
    e.mode = (uint16_t)(mode + 1);
    return r ? r : read_functions(p, &e, false, NULL);
}

static int line_exempt(struct sn_parser *p)
{
    struct sn_contract_effect e = {.line = (uint32_t)p->line};
    return read_functions(p, &e, true, NULL);
}

/* at OFFSET [of BYTES] */
static int read_position(struct sn_parser *p, struct sn_contract_effect *e, int64_t *offset,
                         int64_t *bytes)
{
    bool bad = sn_parser_number(p, offset);
    if (!bad && !sn_parser_accept(p, "of"))
        e->how |= SN_HOW_IN_PLACE;
    else
        bad = bad || sn_parser_number(p, bytes) || *bytes <= *offset;
    return bad ? sn_parser_bad(p, "'at OFFSET' or 'at OFFSET of BYTES' says where in a structure "
                                  "the function is")
               : 0;
}

/* callback NAME ARG [at OFFSET [of BYTES]]: the library will call the function in ARG, or the one
 * at OFFSET in the structure that ARG points to.
 * method NAME ARG NUMBER, virtual NAME ARG NUMBER: the same, the object's virtual function with
 * that number; once, or always and for all objects of its class. */
static int line_callback(struct sn_parser *p, enum sn_contract_act act, unsigned how)
{
    struct sn_contract_effect e = {
        .act = (uint8_t)act, .how = (uint8_t)how, .line = (uint32_t)p->line};
    char *name = sn_xstrdup(sn_parser_next(p));
    int64_t offset = 0, bytes = 0;
    uint8_t load;
    int r =
        sn_parser_is_name(name) ? 0 : sn_parser_bad(p, "a callback needs a name, not '%s'", name);
    if (r == 0)
        r = read_arg(p, &e.arg, &load);
    if (r == 0 && act == SN_ACT_METHOD)
        r = sn_parser_number(p, &offset);
    else if (r == 0 && sn_parser_accept(p, "at"))
        r = read_position(p, &e, &offset, &bytes);
    if (r == 0 && (e.arg > SN_CONTRACT_ARGS || load || offset < 0 || bytes > SN_CALLBACK_BYTES))
        r = sn_parser_bad(p, "the callback is an argument, or in a structure of at most %d bytes",
                          SN_CALLBACK_BYTES);
    e.offset = (uint16_t)offset;
    e.callback_bytes = (uint8_t)bytes;
    if (r == 0)
        r = read_conditions(p, &e);
    if (r == 0)
        r = read_functions(p, &e, false, name);
    free(name);
    return r;
}

int sn_parser_check_callbacks(struct sn_parser *p)
{
    const struct sn_contracts *c = p->c;
    const char *last = NULL; /* all functions of a line have the same */
    for (size_t i = 0; i < c->nrules; i++) {
        bool there = !c->rule[i].callback || c->rule[i].lib != p->lib ||
                     (last && strcmp(last, c->rule[i].callback) == 0);
        for (size_t k = 0; k < c->nrules && !there; k++)
            there =
                c->rule[k].lib == p->lib && strcmp(c->rule[k].function, c->rule[i].callback) == 0;
        p->line = (int)c->rule[i].effect.line;
        if (!there)
            return sn_parser_bad(p, "no rule is about %s", c->rule[i].callback);
        if (c->rule[i].callback && c->rule[i].lib == p->lib)
            last = c->rule[i].callback;
    }
    return 0;
}

int sn_parser_rule(struct sn_parser *p, const char *first)
{
    if (strcmp(first, "role") == 0)
        return line_role(p);
    if (strcmp(first, "mark") == 0)
        return line_mark(p);
    if (strcmp(first, "exempt") == 0)
        return line_exempt(p);
    if (strcmp(first, "callback") == 0)
        return line_callback(p, SN_ACT_CALLBACK, 0);
    if (strcmp(first, "method") == 0)
        return line_callback(p, SN_ACT_METHOD, 0);
    if (strcmp(first, "virtual") == 0)
        return line_callback(p, SN_ACT_METHOD, SN_HOW_IN_PLACE);
    const struct verb *v = find_verb(first);
    if (!v)
        return sn_parser_bad(p, "unknown key '%s'", first);
    struct sn_contract_effect e = {
        .act = v->act, .does = v->does, .conflicts = v->conflicts, .line = (uint32_t)p->line};
    return finish_rule(p, &e);
}
