# Units as tasks of job arrays, on a Slurm of our own: munged, slurmctld and slurmd on the loopback.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
for tool in munged mungekey slurmctld slurmd sbatch squeue; do
    command -v $tool >/dev/null || skip "no $tool (apt-get install slurm-wlm munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd needs root"

node=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir state spool && chmod 755 .
mungekey --create --keyfile "$PWD/munge.key"
cat >slurm.conf <<EOF
ClusterName=snag
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MaxArraySize=17
NodeName=$node NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=$node Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF="$PWD/slurm.conf"
stop_all() {
    for name in slurmd slurmctld munged; do
        if [ -s $name.pid ]; then kill "$(cat $name.pid)" 2>/dev/null || :; fi
    done
}
trap stop_all EXIT
# Each of them becomes a daemon once it is ready to serve; slurmctld says so on its port.
munged --force --key-file="$PWD/munge.key" --socket="$PWD/munge.socket" --pid-file="$PWD/munged.pid" \
    --log-file="$PWD/munged.log" --seed-file="$PWD/munged.seed" >"$out" 2>"$err" || skip "munged does not start here: $(cat "$err")"
slurmctld >"$out" 2>"$err" || skip "slurmctld does not start here: $(cat "$err")"
slurmd -N "$node" >"$out" 2>"$err" || skip "slurmd does not start here: $(cat "$err")"
tries=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    [ $tries -lt 120 ] || skip "the node does not come up here: $(tail -n 5 slurmctld.log slurmd.log)"
    sleep 0.5
done

write_stores
write_campaign 40
expect 66 "$SNAG" campaign run --quiet --jobs 2 --dir local --store local.store test.campaign
findings local.store local.json
whole 40 local.json

# sbatch's own options get there: what Slurm refuses fails at once.
expect 125 "$SNAG" campaign run --on slurm --partition nosuch --dir refused test.campaign
expect 125 "$SNAG" campaign run --on slurm --mem 100G --dir refused test.campaign

# Forty units are three arrays here (MaxArraySize). Five are killed; the last job submits them anew.
"$SNAG" campaign run --quiet --on slurm --partition test --time 10 --mem 20 --throttle 4 --sbatch=--nice=3 \
    --dir slurm --store slurm.store test.campaign >slurm.out 2>&1 &
campaign=$!
killed=0
while kill -0 $campaign 2>/dev/null && [ $killed -lt 5 ]; do
    for part in slurm/out/*.part-*; do
        if [ -d "$part" ] && kill -9 "${part##*-}" 2>/dev/null; then killed=$((killed + 1)); fi
        [ $killed -lt 5 ] || break
    done
done
scontrol show job >jobs 2>/dev/null || :
status=0
wait $campaign || status=$?
cp slurm.out "$err"
[ $status = 66 ] || fail "status $status; $(tail -n 5 slurmctld.log) $(cat slurm/log/slurm-last-*)"
[ $killed = 5 ] || fail "only $killed units were killed before all were done"
grep -q 'Requeue=1' jobs && grep -q 'Partition=test' jobs && grep -q 'TimeLimit=00:10:00' jobs &&
    grep -q 'MinMemoryNode=20M' jobs && grep -q 'Nice=3' jobs || fail "options of sbatch are lost: $(cat jobs)"
grep -q 'ArrayTaskThrottle=4' jobs || fail "no throttle: $(cat jobs)"
[ "$(wc -l <slurm/slurm.rounds)" -ge 2 ] || fail "killed units were not submitted anew"
findings slurm.store slurm.json
same local.json slurm.json

# Submitted and left alone: the job at the end merges. Program and snag are taken to the node.
write_campaign 10
expect 66 "$SNAG" campaign run --quiet --jobs 2 --dir few --store few.store test.campaign
findings few.store few.json
mkdir tmp
TMPDIR=$PWD/tmp expect 0 "$SNAG" campaign run --on slurm --no-wait --carry --dir alone --store alone.store test.campaign
says 'job .*, which merges'
while [ ! -e alone/slurm.ended ]; do
    [ -n "$(squeue -h)" ] || [ -e alone/slurm.ended ] || fail "no job is left, and nothing was merged: $(cat alone/log/*)"
    sleep 0.5
done
findings alone.store alone.json
same few.json alone.json
ls -d tmp/snag-campaign-* >/dev/null || fail "nothing was unpacked on the node"
