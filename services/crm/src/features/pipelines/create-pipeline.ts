import type { FieldError } from '@tandem/contract';
import { pipelineCreated, type pipelines, pipelinesMax } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers } from '../../handler.ts';
import { defaultStages } from '../config/defaults.ts';
import { defineStatuses } from '../config/define-statuses.ts';
import { checkTeams } from './check-teams.ts';
import { asPipeline, clearDefault, eventDataOf, lockPipelines, withStages } from './pipeline.ts';

type Stages = NonNullable<z.output<typeof pipelines.createPipeline.body>['stages']>;

export const createPipeline = (peers: Peers): Handler<typeof pipelines.createPipeline> => ({
  check: ({ body, caller }) => checkTeams(peers, body.teamIds, caller),
  async run({ body, tx, emit }) {
    const { stages = standardStages(), ...fields } = body;
    const errors = missingStages(stages);
    if (errors.length) throw fail('validation_failed', errors);
    await lockPipelines(tx);
    if ((await tx.pipeline.count({ where: {} })) >= pipelinesMax) throw fail('too_many_pipelines');
    if (fields.isDefault) await clearDefault({ tx, emit });
    const pipeline = asPipeline(await tx.pipeline.create({ data: fields }));
    emit(pipelineCreated, { data: eventDataOf(pipeline), record: pipeline });
    await defineStatuses(
      { tx, emit },
      {
        entityType: 'opportunity',
        pipelineId: pipeline.id,
        items: withDefault(stages),
        at: (index) => `stages.${index}.`,
      },
    );
    return withStages(tx, pipeline);
  },
});

function standardStages(): Stages {
  return defaultStages.map(({ entityType, category, ...stage }) => stage);
}

/** Errors for the kinds of stages that every pipeline needs. */
function missingStages(stages: Stages): FieldError[] {
  const kinds: [string, boolean][] = [
    ['an open', stages.some(({ isClosed }) => !isClosed)],
    ['a won', stages.some(({ isClosed, isWon }) => isClosed && isWon)],
    ['a lost', stages.some(({ isClosed, isWon }) => isClosed && !isWon)],
  ];
  return kinds
    .filter(([, isThere]) => !isThere)
    .map(([kind]) => ({ field: 'stages', message: `Must contain ${kind} stage` }));
}

/** Makes the first open stage the default if none is. */
function withDefault(stages: Stages): Stages {
  if (stages.some(({ isDefault }) => isDefault)) return stages;
  const first = stages.findIndex(({ isClosed }) => !isClosed);
  return stages.map((stage, index) => ({ ...stage, isDefault: index === first }));
}
