import type { Caller } from '@tandem/caller';
import { type JobContext, job } from '@tandem/jobs';
import { LearnerType } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { findLearners } from '../enrollments/learners.ts';
import { nameLearnerJob } from './name-learner.ts';

// Shown for a learner who was deleted before.
const unknownName = 'Unknown';

/** Stores the name that the learner has now; the certificate keeps it. */
export const nameLearner = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...nameLearnerJob,
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof nameLearnerJob.payload>, Tx>) {
      const row = await tx.certificate.findFirst({ where: { id: payload.certificateId } });
      if (!row || row.learnerName) return;
      const [scope] = await tx.sql<Pick<Caller, 'environment'> & { tenantId: number }>`
        SELECT platform.tenant_id() AS "tenantId", platform.environment() AS environment`;
      const caller = { ...scope, type: 'system', permissions: [], requestId: `certificate_${row.id}` } as Caller;
      const learner = { type: LearnerType.parse(row.learnerType), id: row.learnerId };
      const found = (await outside(() => findLearners(peers, caller, [learner])))(learner);
      const learnerName = 'name' in found && found.name ? found.name : unknownName;
      await finish(async ({ tx: inside }) => {
        await inside.certificate.updateManyAndReturn({
          where: { id: row.id, learnerName: '' },
          data: { learnerName, version: { increment: 1 } },
        });
      });
    },
  });
