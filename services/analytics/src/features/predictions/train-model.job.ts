import { modelVersionsMax, outcomesMax, predictionModelTrained } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { type GiveUpContext, type JobActor, type JobContext, job } from '@tandem/jobs';
import { toJsonColumn } from '@tandem/service';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { rowOf } from './columns.ts';
import { asModel } from './models.ts';
import { hasEnough, readOutcomes } from './outcomes.ts';
import { readPastProfiles } from './profiles.ts';
import type { Sample, Training } from './train.ts';
import { predictionJobs, trainModelJob } from './training.ts';

type Payload = z.output<typeof trainModelJob.payload>;
type Tooling = Pick<Tools, 'heavy' | 'evaluations'>;

const portion = 1_000;
const Input = z.object({ actor: z.custom<Omit<Caller, 'permissions'>>() });

export const trainModels = (tools: Tooling) =>
  job({
    ...trainModelJob,
    async run({ payload: { modelId, jobId }, tx, scope, outside, finish }: JobContext<Payload, Tx>) {
      const model = await tx.predictionModel.findFirst({ where: { id: modelId } });
      if (model?.state !== 'training') return;
      const samples = await readSamples(tools, tx, scope.tenantId);
      const training = samples && (await outside(() => tools.evaluations.run('train', samples, scope.tenantId)));
      const { actor } = Input.parse((await predictionJobs.find(tx.sql, jobId))?.input);
      await finish((inside) => end(inside, { modelId, jobId }, training), actorOf(actor));
    },
    async giveUp({ payload: { modelId, jobId }, tx }: GiveUpContext<Payload, Tx>) {
      const message = 'The training failed repeatedly; start it again later';
      await tx.predictionModel.updateMany({ where: { id: modelId }, data: { state: 'failed', reason: message } });
      await predictionJobs.fail(tx.sql, jobId, { code: 'training_failed', message });
    },
  });

/** The closed leads as they were before their outcomes; undefined if there are too few by now. */
async function readSamples({ heavy }: Tooling, tx: Tx, tenantId: number): Promise<Sample[] | undefined> {
  const outcomes = await heavy(tenantId, () => readOutcomes(tx, outcomesMax));
  if (!hasEnough(outcomes)) return undefined;
  const converted = new Map(outcomes.map((one) => [one.leadId, one.converted]));
  const samples: Sample[] = [];
  for (let first = 0; first < outcomes.length; first += portion) {
    const profiles = await heavy(tenantId, () => readPastProfiles(tx, outcomes.slice(first, first + portion)));
    for (const profile of profiles)
      samples.push({
        leadId: profile.leadId,
        converted: converted.get(profile.leadId) as boolean,
        row: rowOf(profile),
      });
  }
  return samples;
}

type Inside = Parameters<Parameters<JobContext<Payload, Tx>['finish']>[0]>[0];

async function end({ tx, emit }: Inside, { modelId, jobId }: Payload, training: Training | undefined): Promise<void> {
  const reason = training ? training.reason : 'There are too few closed leads';
  const state = reason === null ? 'active' : 'rejected';
  const [model] = await tx.predictionModel.findMany({ where: { id: modelId, state: 'training' } });
  if (!model) return;
  const { name } = model;
  if (state === 'active')
    await tx.predictionModel.updateMany({ where: { name, state: 'active' }, data: { state: 'replaced' } });
  const [written] = await tx.predictionModel.updateManyAndReturn({
    where: { id: modelId },
    data: {
      ...{ state, reason, trainedAt: new Date() },
      ...(training && {
        metrics: toJsonColumn(training.metrics),
        calibration: training.calibration,
        model: toJsonColumn(training.model),
      }),
    },
  });
  if (!written) return;
  // The active version stays, however old it is.
  await tx.predictionModel.deleteMany({
    where: { name, version: { lte: model.version - modelVersionsMax }, state: { not: 'active' } },
  });
  const record = asModel(written);
  emit(predictionModelTrained, {
    data: { predictionModelId: modelId, name: record.name, version: record.version, state },
    record,
  });
  await predictionJobs.complete(tx.sql, jobId, { result: { name, version: model.version, state, reason }, total: 1 });
}

function actorOf({ tenantId, environment, ...actor }: Omit<Caller, 'permissions'>): JobActor {
  return actor;
}
