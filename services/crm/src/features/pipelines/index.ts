import type { internalPipelines, pipelines } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { createPipeline } from './create-pipeline.ts';
import { deletePipeline } from './delete-pipeline.ts';
import { filterPipelines } from './filter-pipelines.ts';
import { getPipeline } from './get-pipeline.ts';
import { listPipelines } from './list-pipelines.ts';
import { readPipeline } from './read-pipeline.ts';
import { readStageCodes } from './read-stage-codes.ts';
import { setPipelineRules } from './set-pipeline-rules.ts';
import { updatePipeline } from './update-pipeline.ts';

export const pipelineHandlers = (peers: Peers) =>
  ({
    createPipeline: createPipeline(peers),
    listPipelines,
    getPipeline,
    updatePipeline: updatePipeline(peers),
    setPipelineRules: setPipelineRules(peers),
    deletePipeline,
    filterPipelines,
    readPipeline,
    readStageCodes,
  }) satisfies Handlers<typeof pipelines & typeof internalPipelines, Tx>;
