import { pipelineDeleted, type pipelines, statusDefinitionDeleted } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventDataOf as eventDataOfStage, lockDefinitions, statusesOf } from '../config/status.ts';
import { eventDataOf, lockPipeline, lockPipelines } from './pipeline.ts';

export const deletePipeline: Handler<typeof pipelines.deletePipeline> = async ({ params, tx, emit, ifMatch }) => {
  await lockPipelines(tx);
  await lockDefinitions(tx, 'opportunity');
  // The lock waits for deals that are being created in the pipeline, and new ones wait for it.
  const pipeline = await lockPipeline(tx, params.id);
  ifMatch(pipeline);
  if (pipeline.isDefault) throw fail('default_pipeline');
  const deals = await tx.opportunity.count({ where: { pipelineId: pipeline.id } });
  if (deals) throw fail('pipeline_in_use', [{ field: 'id', message: `${deals} deals are in this pipeline` }]);
  const stages = await statusesOf(tx, { entityType: 'opportunity', pipelineId: pipeline.id });
  await tx.statusDefinition.deleteMany({ where: { pipelineId: pipeline.id } });
  await tx.pipeline.deleteMany({ where: { id: pipeline.id } });
  for (const stage of stages) emit(statusDefinitionDeleted, { data: eventDataOfStage(stage), record: stage });
  emit(pipelineDeleted, { data: eventDataOf(pipeline), record: pipeline });
  return { id: pipeline.id, deleted: true };
};
