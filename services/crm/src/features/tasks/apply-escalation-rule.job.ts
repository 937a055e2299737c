import { orAbsent } from '@tandem/client/internal';
import { escalationLevelMax } from '@tandem/crm-contract';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import type { Assignee } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { worksAt } from '../calendar/working-hours.ts';
import { applyRuleJob } from './apply-rule.ts';
import { asRule, escalate, leadOfTeam, type RuleRecord } from './escalation.ts';
import { type Candidate, nextBatch } from './escalation-candidates.ts';
import { asTask, openStatuses } from './task.ts';

const everyMs = 60_000;

type Payload = z.output<typeof applyRuleJob.payload>;
type Context = JobContext<Payload, Tx>;

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
      const findTarget = async (teamId: number | null): Promise<Assignee | undefined> => {
        const userId = rule.target.userId ?? (await outside(() => leadOfTeam(peers, teamId, as)));
        const user = userId === undefined ? undefined : await outside(() => find(userId));
        if (user?.status !== 'active') return undefined;
        return rule.workingHoursOnly && !(await worksAt(tx, user.id, new Date(), timezone)) ? undefined : user;
      };
      const { candidates, targetOf, isFull, progress } = await nextBatch(tx, rule, findTarget);
      // Locked in the order of ids, so that two transactions cannot wait for each other.
      const inOrder = candidates.sort((one, other) => one.id - other.id);
      await finish(async (inside) => {
        for (const candidate of inOrder) await apply(inside, rule, candidate, targetOf(candidate));
        if (progress) await saveProgress(inside.tx, rule, progress);
        return isFull ? new Date() : nextRunAt();
      });
    },
    // A rule is applied as long as it is active, also after an outage of identity that outlasts the attempts of a run.
    async giveUp({ payload, schedule }: GiveUpContext<Payload, Tx>) {
      await schedule(applyRuleJob, [payload], nextRunAt());
    },
  });

function nextRunAt(): Date {
  return new Date(Date.now() + everyMs);
}

/** Stores how far the rule has come, unless the rule changed meanwhile: then it begins again. */
async function saveProgress(
  tx: Tx,
  { id, version }: RuleRecord,
  { escalatedTo, searchedAt }: Pick<RuleRecord, 'escalatedTo' | 'searchedAt'>,
): Promise<void> {
  await tx.sql`UPDATE escalation_rule SET escalated_to = ${escalatedTo}, searched_at = ${searchedAt}
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id = ${id} AND version = ${version}`;
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
