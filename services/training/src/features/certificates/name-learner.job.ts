import type { Caller } from '@tandem/caller';
import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { asService } from '@tandem/service';
import { LearnerType } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { findLearners } from '../enrollments/learners.ts';
import { nameLearnerJob } from './name-learner.ts';

// Shown for a learner who was deleted before.
const unknownName = 'Unknown';

// When other services did not answer for as long as a job is tried.
const unansweredMs = 3_600_000;

type Payload = z.output<typeof nameLearnerJob.payload>;

/** Stores the name that the learner has now, and that of the tenant; the certificate keeps them. */
export const nameLearner = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...nameLearnerJob,
    async run({ payload, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const row = await tx.certificate.findFirst({ where: { id: payload.certificateId } });
      if (!row || row.learnerName) return;
      const caller: Caller = { ...scope, type: 'system', permissions: [], requestId: `certificate_${row.id}` };
      const learner = { type: LearnerType.parse(row.learnerType), id: row.learnerId };
      const [learners, tenant] = await outside(() =>
        Promise.all([
          findLearners(peers, caller, [learner]),
          peers.identity.readTenantSettings({ as: asService(caller) }),
        ]),
      );
      const learnerName = learners(learner).name || unknownName;
      await finish(async ({ tx: inside }) => {
        await inside.certificate.updateManyAndReturn({
          where: { id: row.id, learnerName: '' },
          data: { learnerName, issuer: tenant.name ?? '', version: { increment: 1 } },
        });
      });
    },
    async giveUp({ payload, schedule }: GiveUpContext<Payload, Tx>) {
      await schedule(nameLearnerJob, [payload], new Date(Date.now() + unansweredMs));
    },
  });
