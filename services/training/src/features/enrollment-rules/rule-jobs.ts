import { id } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { LearnerType } from '@tandem/training-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { applyRule } from './apply-rule.ts';
import { asRule } from './enrollment-rule.ts';
import { applyToSkippedJob, reasonsOfCourse } from './examine-skipped.ts';
import { type As, existingLearners, matchingLearners } from './matching.ts';

/** The job that examines learners after a change, by all active rules for their type. */
export const applyRulesJob = {
  name: 'apply-enrollment-rules',
  payload: z.object({ learnerType: LearnerType, learnerIds: z.array(z.int()) }),
};

/** The job that examines the learners who exist, portion by portion. */
export const applyToExistingJob = {
  name: 'apply-rule-to-existing',
  payload: z.object({ ruleId: id('enrollment_rule'), after: z.int().nullable() }),
};

/** The job that removes the outcomes of a deleted rule. */
export const removeOutcomesJob = {
  name: 'remove-rule-outcomes',
  payload: z.object({ ruleId: id('enrollment_rule') }),
};

const requestId = 'enrollment_rules';
const outcomesMax = 5_000;
// As many learners as a page of those who exist.
const skippedMax = 250;

export const applyRules = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...applyRulesJob,
    rests: true,
    async run({ payload, scope, tx, outside, finish }: JobContext<z.output<typeof applyRulesJob.payload>, Tx>) {
      const { learnerType, learnerIds } = payload;
      const where = { learnerType, active: true };
      // In the order of courses, whose locks follow one another.
      const rows = await tx.enrollmentRule.findMany({ where, orderBy: [{ courseId: 'asc' }, { id: 'asc' }] });
      if (!rows.length) return;
      const as: As = { ...scope, requestId };
      const rules = rows.map(asRule);
      const matching = await outside(() =>
        Promise.all(rules.map((rule) => matchingLearners(peers, as, rule, learnerIds))),
      );
      await finish(async (inside) => {
        for (const [index, rule] of rules.entries()) await applyRule(inside, rule, matching[index] ?? []);
      });
    },
  });

export const applyToExisting = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...applyToExistingJob,
    rests: true,
    async run({ payload, scope, tx, outside, finish }: JobContext<z.output<typeof applyToExistingJob.payload>, Tx>) {
      const { ruleId, after } = payload;
      const row = await tx.enrollmentRule.findFirst({ where: { id: ruleId, active: true } });
      if (!row) return;
      const rule = asRule(row);
      const as: As = { ...scope, requestId };
      const { learnerIds, next } = await outside(() => existingLearners(peers, as, rule, after));
      await finish(async (inside) => {
        await applyRule(inside, rule, learnerIds);
        if (next !== null) await inside.schedule(applyToExistingJob, [{ ruleId, after: next }]);
        else await inside.tx.sql`UPDATE enrollment_rule SET existing_applied_at = now() WHERE id = ${ruleId}`;
      });
    },
  });

export const applyToSkipped = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...applyToSkippedJob,
    rests: true,
    async run({ payload, scope, tx, outside, finish }: JobContext<z.output<typeof applyToSkippedJob.payload>, Tx>) {
      const { ruleId, after } = payload;
      const row = await tx.enrollmentRule.findFirst({ where: { id: ruleId, active: true } });
      if (!row) return;
      const skipped = await tx.ruleOutcome.findMany({
        where: { ruleId, learnerId: { gt: after }, skipReason: { in: reasonsOfCourse } },
        select: { learnerId: true },
        orderBy: { learnerId: 'asc' },
        take: skippedMax,
      });
      const rule = asRule(row);
      const as: As = { ...scope, requestId };
      const ids = skipped.map(({ learnerId }) => learnerId);
      const learnerIds = await outside(() => matchingLearners(peers, as, rule, ids));
      await finish(async (inside) => {
        await applyRule(inside, rule, learnerIds);
        const last = ids.at(-1);
        if (last !== undefined && ids.length === skippedMax)
          await inside.schedule(applyToSkippedJob, [{ ruleId, after: last }]);
      });
    },
  });

export const removeOutcomes = job({
  ...removeOutcomesJob,
  rests: true,
  async run({ payload: { ruleId }, finish }: JobContext<z.output<typeof removeOutcomesJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const removed = await tx.sql`
        WITH due AS (SELECT learner_id FROM rule_outcome WHERE rule_id = ${ruleId} ORDER BY learner_id LIMIT ${outcomesMax})
        DELETE FROM rule_outcome USING due
        WHERE rule_id = ${ruleId} AND rule_outcome.learner_id = due.learner_id RETURNING rule_outcome.learner_id`;
      return removed.length === outcomesMax ? new Date() : undefined;
    });
  },
});
