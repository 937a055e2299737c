import { type pipelines, pipelineUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { checkTeams } from './check-teams.ts';
import { clearDefault, eventDataOf, lockPipeline, lockPipelines, withStages, writePipeline } from './pipeline.ts';

export const updatePipeline = (peers: Peers): Handler<typeof pipelines.updatePipeline> => ({
  check: ({ body, caller }) => checkTeams(peers, body.teamIds, caller),
  async run({ params, body, tx, emit, ifMatch }) {
    await lockPipelines(tx);
    const pipeline = await lockPipeline(tx, params.id);
    ifMatch(pipeline);
    const { isEmpty, values, audit } = diff(pipeline, body);
    if (values.isDefault === false)
      throw fail('default_pipeline', [{ field: 'isDefault', message: 'Make another pipeline the default instead' }]);
    if (isEmpty) return withStages(tx, pipeline);
    if (values.isDefault) await clearDefault({ tx, emit });
    const record = await writePipeline(tx, pipeline.id, values);
    emit(pipelineUpdated, { data: eventDataOf(record), record, changes: audit });
    return withStages(tx, record);
  },
});
