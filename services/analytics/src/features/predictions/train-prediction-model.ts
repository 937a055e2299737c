import { outcomesMax, type predictions } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { hasEnough, readOutcomes } from './outcomes.ts';
import { predictionJobs, trainModelJob } from './training.ts';

export const trainPredictionModel: Handler<typeof predictions.trainPredictionModel> = {
  async check({ tx }) {
    if (!hasEnough(await readOutcomes(tx, outcomesMax))) throw fail('too_few_outcomes');
  },
  async run({ params: { name }, caller, tx, schedule }) {
    await lockModels(tx);
    const [latest] = await tx.predictionModel.findMany({ where: { name }, orderBy: { version: 'desc' }, take: 1 });
    if (latest?.state === 'training') throw fail('training_running');
    const version = (latest?.version ?? 0) + 1;
    const { id } = await tx.predictionModel.create({ data: { name, version, state: 'training' } });
    const { permissions, ...actor } = caller;
    const start = { kind: 'prediction_training', permission: 'analytics:manage', caller, input: { actor } };
    const job = await predictionJobs.start(tx.sql, start);
    await schedule(trainModelJob, [{ modelId: id, jobId: job.jobId }]);
    return job;
  },
};

/** Two requests at once would start two trainings. */
async function lockModels(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(
    hashtextextended('prediction models', platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}
