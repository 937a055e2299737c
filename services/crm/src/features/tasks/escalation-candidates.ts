import { escalationLevelMax } from '@tandem/crm-contract';
import type { Assignee } from '@tandem/service';
import { type Fragment, fragment } from '@tandem/tenant-db';
import type { Tx } from '../../handler.ts';
import type { RuleRecord } from './escalation.ts';

const minuteMs = 60_000;
// Tasks that are escalated in one transaction; their locks last until its end.
const batchMax = 100;
// Longer than a transaction takes: a change is committed some time after the time that it is stored with.
const uncommittedMs = 5 * minuteMs;

/** A task that a rule matches. */
export interface Candidate {
  id: number;
  teamId: number | null;
  dueAt: Date;
}

/** The next tasks that a rule escalates. */
interface Batch {
  candidates: Candidate[];
  targetOf(candidate: Candidate): Assignee;
  /** Whether there may be more. */
  isFull: boolean;
  /** How far the rule has come after the batch; undefined if that does not change. */
  progress: Pick<RuleRecord, 'escalatedTo' | 'searchedAt'> | undefined;
}

// A search reads the tasks that became overdue since the last one, and those that changed since then: a task that is
// reopened, restored or put into another team can match with an old due time. So its cost does not grow with the number
// of tasks that were escalated before.
const becameOverdue = fragment`due_at > progress."to"`;
const changed = fragment`due_at <= progress."to" AND updated_at > progress.since`;

/**
 * Finds the next tasks to escalate, with their targets. Tasks whose target cannot act are left out: they do not hold up
 * others, and the next search finds them again.
 * @param findTarget the target of tasks of a team, if it can act now
 */
export async function nextBatch(
  tx: Tx,
  rule: RuleRecord,
  findTarget: (teamId: number | null) => Promise<Assignee | undefined>,
): Promise<Batch> {
  const now = new Date();
  const dueTo = new Date(now.getTime() - rule.overdueMinutes * minuteMs);
  const targets = new Map<number | null, Assignee>();
  const waiting: number[] = [];
  for (;;) {
    const search = { rule, dueTo, waiting };
    const overdue = await find(tx, becameOverdue, { ...search, max: batchMax });
    const others = await find(tx, changed, { ...search, max: batchMax - overdue.length });
    const candidates = [...overdue, ...others];
    const isFull = candidates.length === batchMax;
    const absent: (number | null)[] = [];
    for (const key of new Set(candidates.map((one) => keyOf(rule, one)))) {
      const target = targets.get(key) ?? (await findTarget(key));
      if (target) targets.set(key, target);
      else absent.push(key);
    }
    const targetOf = (candidate: Candidate) => targets.get(keyOf(rule, candidate)) as Assignee;
    if (!absent.length) {
      const reached = overdue.length === batchMax ? justBefore((overdue.at(-1) as Candidate).dueAt) : dueTo;
      const [held] = await oldestWaiting(tx, search);
      const escalatedTo = held && held.dueAt <= reached ? justBefore(held.dueAt) : reached;
      const searchedAt = isFull ? (rule.searchedAt ?? now) : now;
      return { candidates, targetOf, isFull, progress: { escalatedTo, searchedAt } };
    }
    if (rule.target.type === 'user') return { candidates: [], targetOf, isFull: false, progress: undefined };
    waiting.push(...absent.filter((key) => key !== null));
  }
}

/** Tasks of one team have the same target; those of a rule for one user all have it. */
function keyOf({ target }: RuleRecord, { teamId }: Candidate): number | null {
  return target.type === 'user' ? null : teamId;
}

function justBefore(time: Date): Date {
  return new Date(time.getTime() - 1);
}

interface Search {
  rule: RuleRecord;
  dueTo: Date;
  /** The teams whose tasks wait for their target. */
  waiting: readonly number[];
}

/** The first task that waits for its target. */
async function oldestWaiting(tx: Tx, search: Search): Promise<Candidate[]> {
  if (!search.waiting.length) return [];
  const found = [
    ...(await find(tx, becameOverdue, { ...search, max: 1, isWaiting: true })),
    ...(await find(tx, changed, { ...search, max: 1, isWaiting: true })),
  ];
  return found.sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
}

async function find(
  tx: Tx,
  source: Fragment,
  { rule, dueTo, waiting, max, isWaiting = false }: Search & { max: number; isWaiting?: boolean },
): Promise<Candidate[]> {
  const { id, match, target, escalatedTo, searchedAt } = rule;
  const { type = null, priority = null, teamId = null } = match;
  const since = searchedAt && new Date(searchedAt.getTime() - uncommittedMs);
  const needsTeam = target.type === 'team_lead';
  if (max < 1) return [];
  return tx.sql<Candidate>`SELECT id, team_id AS "teamId", due_at AS "dueAt"
    FROM task, (SELECT COALESCE(${escalatedTo}::timestamptz, '-infinity') AS "to", ${since}::timestamptz AS since) AS progress
    WHERE deleted_at IS NULL AND status = ANY (ARRAY['pending'::text, 'in_progress'::text]) AND due_at <= ${dueTo}
      AND ${source}
      AND tenant_id = platform.tenant_id() AND environment = platform.environment()
      AND escalation_level < ${escalationLevelMax}::int
      AND (${type}::text IS NULL OR type = ${type}) AND (${priority}::text IS NULL OR priority = ${priority})
      AND (${teamId}::bigint IS NULL OR team_id = ${teamId}) AND (team_id IS NOT NULL OR NOT ${needsTeam}::boolean)
      AND (team_id = ANY(${waiting}::bigint[])) IS TRUE = ${isWaiting}::boolean
      AND NOT EXISTS (SELECT FROM task_escalation AS done WHERE done.tenant_id = task.tenant_id
        AND done.environment = task.environment AND done.task_id = task.id AND done.rule_id = ${id} AND done.due_at = task.due_at)
    ORDER BY due_at, id LIMIT ${max}::int`;
}
