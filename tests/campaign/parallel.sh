# Units by GNU parallel: here, with a shared folder, and over ssh to a host that shares nothing.
. "$(dirname "$0")/lib.sh"
command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q '^GNU parallel' ||
    skip "GNU parallel is not installed (apt-get install parallel)"
write_stores
write_campaign 20
expect 66 "$SNAG" campaign run --quiet --jobs 2 --dir local --store local.store test.campaign
findings local.store local.json
whole 20 local.json

expect 66 "$SNAG" campaign run --quiet --on parallel --jobs 3 --dir here --store here.store test.campaign
findings here.store here.json
same local.json here.json

# Lost and damaged stores are done again, by --resume and parallel's own log.
rm -rf here/out/0003 here/merged && : >here/out/0008/snag.db
[ "$(wc -l <here/parallel.log)" = 21 ] || fail "the log of parallel is not whole"
expect 66 "$SNAG" campaign run --resume --on parallel --jobs 2 --dir here --store again.store test.campaign
says 'store of unit 8 is half-written'
findings again.store again.json
same local.json again.json
[ "$(wc -l <here/parallel.log)" = 21 ] || fail "not just the two were run again"
echo nosuchfile >hosts
expect 125 "$SNAG" campaign run --on parallel --sshlogin nosuch --dir nohosts test.campaign

# Over ssh: an sshd of our own on the loopback, with keys of our own, and another home folder.
for tool in sshd ssh ssh-keygen rsync; do
    PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip "no $tool: the part over ssh was not run"
done
[ "$(id -u)" = 0 ] || skip "sshd needs root: the part over ssh was not run"
mkdir -p /run/sshd keys
ssh-keygen -q -t ed25519 -N '' -f keys/host && ssh-keygen -q -t ed25519 -N '' -f keys/user
cp keys/user.pub keys/authorized && chmod 700 . keys && chmod 600 keys/*
port=$((20000 + $$ % 20000))
cat >keys/sshd_config <<EOF
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/keys/host
AuthorizedKeysFile $PWD/keys/authorized
PidFile $PWD/keys/pid
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
MaxStartups 100
SetEnv HOME=$PWD/far
EOF
mkdir far
"$(PATH=$PATH:/usr/sbin command -v sshd)" -f "$PWD/keys/sshd_config" -E "$PWD/keys/log" || fail "sshd: $(cat keys/log)"
trap 'kill "$(cat keys/pid)" 2>/dev/null || :' EXIT
cat >ssh <<EOF
#!/bin/sh
exec /usr/bin/env ssh -F none -p $port -i $PWD/keys/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "\$@"
EOF
chmod +x ssh
./ssh 127.0.0.1 true 2>"$err" || skip "no ssh to 127.0.0.1 here: $(cat "$err" keys/log)"
cat >hosts <<EOF
2/$PWD/ssh root@127.0.0.1
EOF
expect 66 "$SNAG" campaign run --quiet --on parallel --sshlogin hosts --carry --dir far-away --store far.store test.campaign
findings far.store far.json
same local.json far.json
grep -q '127.0.0.1' far-away/parallel.log || fail "no unit went over ssh"
[ -z "$(find / -maxdepth 3 -name '.snag-campaign-*' 2>/dev/null)" ] || fail "the host was not cleaned"

# What was confirmed over there can be replayed here: paths are those of the plan.
expect 66 "$SNAG" campaign run --quiet --on parallel --sshlogin hosts --carry --dir confirm --store confirm.store \
    --units 2 -- fuzz --schedules 10 --strategy race ./stores 2
expect 0 "$SNAG" replay --quiet --store confirm.store 1
