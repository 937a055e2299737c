import { orAbsent } from '@tandem/client/internal';
import { escalationLevelMax } from '@tandem/crm-contract';
import { type JobContext, job } from '@tandem/jobs';
import type { Assignee } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { worksAt } from '../calendar/working-hours.ts';
import { applyRuleJob } from './apply-rule.ts';
import { asRule, escalate, leadOfTeam, type RuleRecord } from './escalation.ts';
import { asTask, openStatuses } from './task.ts';

const everyMs = 60_000;
const minuteMs = 60_000;
// Tasks that are escalated in one transaction; their locks last until its end.
const batchMax = 100;

type Context = JobContext<z.output<typeof applyRuleJob.payload>, Tx>;

interface Candidate {
  id: number;
  teamId: number | null;
  dueAt: Date;
}

/**
 * Escalates the tasks that a rule matches, once for each due time, in batches until none is left, and looks again every
 * minute. Tasks whose target does not exist, or does not work at this time, wait.
 */
export const applyEscalationRule = (peers: Peers) =>
  job({
    ...applyRuleJob,
    async run({ payload: { ruleId, round }, tx, outside, finish }: Context) {
      const row = await tx.escalationRule.findFirst({ where: { id: ruleId } });
      if (!row?.active || row.round !== round) return;
      const rule = asRule(row);
      const as = {
        tenantId: rule.tenantId,
        environment: row.environment as 'live' | 'sandbox',
        requestId: `escalation_rule_${ruleId}`,
      };
      const find = (id: number) => orAbsent(peers.identity.findUser({ params: { id }, as }));
      const timezone = rule.workingHoursOnly ? await outside(() => peers.timezoneOf(as)) : 'UTC';
      /** The target of tasks of a team, if it can act now. */
      const targetOf = async (teamId: number | null): Promise<Assignee | undefined> => {
        const userId = rule.target.userId ?? (await outside(() => leadOfTeam(peers, teamId, as)));
        const user = userId === undefined ? undefined : await outside(() => find(userId));
        if (user?.status !== 'active') return undefined;
        return rule.workingHoursOnly && !(await worksAt(tx, user.id, new Date(), timezone)) ? undefined : user;
      };
      const { batch, targets } = await nextBatch(tx, rule, targetOf);
      await finish(async (inside) => {
        for (const candidate of batch)
          await apply(inside, rule, candidate, targets.get(keyOf(rule, candidate)) as Assignee);
        return batch.length === batchMax ? new Date() : new Date(Date.now() + everyMs);
      });
    },
  });

/** Tasks of one team have the same target; those of a rule for one user all have it. */
function keyOf({ target }: RuleRecord, { teamId }: Candidate): number | null {
  return target.type === 'user' ? null : teamId;
}

/** The next tasks to escalate, with their targets. Teams whose target cannot act are left out and do not hold up others. */
async function nextBatch(
  tx: Tx,
  rule: RuleRecord,
  targetOf: (teamId: number | null) => Promise<Assignee | undefined>,
): Promise<{ batch: Candidate[]; targets: Map<number | null, Assignee> }> {
  const targets = new Map<number | null, Assignee>();
  const waiting: number[] = [];
  for (;;) {
    const found = await candidates(tx, rule, waiting);
    const unknown = [...new Set(found.map((one) => keyOf(rule, one)))].filter((key) => !targets.has(key));
    const absent: (number | null)[] = [];
    for (const key of unknown) {
      const target = await targetOf(key);
      if (target) targets.set(key, target);
      else absent.push(key);
    }
    if (!absent.length) return { batch: found, targets };
    if (rule.target.type === 'user') return { batch: [], targets };
    waiting.push(...absent.filter((key) => key !== null));
  }
}

function candidates(
  tx: Tx,
  { id, match, overdueMinutes, target }: RuleRecord,
  waiting: number[],
): Promise<Candidate[]> {
  const { type = null, priority = null, teamId = null } = match;
  const dueBefore = new Date(Date.now() - overdueMinutes * minuteMs);
  const needsTeam = target.type === 'team_lead';
  return tx.sql<Candidate>`SELECT id, team_id AS "teamId", due_at AS "dueAt" FROM task
    WHERE deleted_at IS NULL AND status = ANY (ARRAY['pending'::text, 'in_progress'::text]) AND due_at <= ${dueBefore}
      AND tenant_id = platform.tenant_id() AND environment = platform.environment()
      AND escalation_level < ${escalationLevelMax}::int
      AND (${type}::text IS NULL OR type = ${type}) AND (${priority}::text IS NULL OR priority = ${priority})
      AND (${teamId}::bigint IS NULL OR team_id = ${teamId}) AND (team_id IS NOT NULL OR NOT ${needsTeam}::boolean)
      AND (team_id IS NULL OR team_id <> ALL(${waiting}::bigint[]))
      AND NOT EXISTS (SELECT FROM task_escalation AS done WHERE done.tenant_id = task.tenant_id
        AND done.environment = task.environment AND done.task_id = task.id AND done.rule_id = ${id} AND done.due_at = task.due_at)
    ORDER BY due_at, id LIMIT ${batchMax}::int`;
}

/** Escalates a task, unless it was finished, moved or escalated since it was found. */
async function apply(
  { tx, emit }: Parameters<Parameters<Context['finish']>[0]>[0],
  rule: RuleRecord,
  { id, dueAt, teamId }: Candidate,
  to: Assignee,
): Promise<void> {
  const where = { id, dueAt, teamId, deletedAt: null, status: { in: [...openStatuses] } };
  const row = await tx.task.lockFirst({ where });
  if (!row || row.escalationLevel >= escalationLevelMax) return;
  const done = await tx.taskEscalation.count({ where: { taskId: id, ruleId: rule.id, dueAt } });
  if (done) return;
  const { action } = rule;
  await escalate({ tx, emit, userId: null }, asTask(row), { to, action, rule: { id: rule.id, dueAt }, reason: null });
}
