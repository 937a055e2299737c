import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { type pipelines, pipelineUpdated } from '@tandem/crm-contract';
import { asService, diff, fail, failField, toJsonColumn } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { statusesOf } from '../config/status.ts';
import { eventDataOf, lockPipeline, withStages, writePipeline } from './pipeline.ts';

export const setPipelineRules = (peers: Peers): Handler<typeof pipelines.setPipelineRules> => ({
  async check({ body, caller }) {
    for (const [index, id] of body.allowedRoleIds.entries()) {
      const role = await orAbsent(peers.identity.findRole({ params: { id }, as: asService(caller) }));
      if (!role) throw failField(`allowedRoleIds.${index}`, unknownId('role'));
    }
  },
  async run({ params, body: rules, tx, emit, ifMatch }) {
    const pipeline = await lockPipeline(tx, params.id);
    ifMatch(pipeline);
    const stages = await statusesOf(tx, { entityType: 'opportunity', pipelineId: pipeline.id });
    const codes = new Set(stages.map(({ code }) => code));
    const errors = Object.keys(rules.requiredFields).flatMap((code) =>
      codes.has(code)
        ? []
        : [{ field: `requiredFields.${code}`, message: 'Must be the code of a stage of this pipeline' }],
    );
    if (errors.length) throw fail('validation_failed', errors);
    const { isEmpty, audit } = diff(pipeline, { rules });
    if (isEmpty) return withStages(tx, pipeline);
    const record = await writePipeline(tx, pipeline.id, {
      ...rules,
      requiredFields: toJsonColumn(rules.requiredFields),
    });
    emit(pipelineUpdated, { data: eventDataOf(record), record, changes: audit });
    return withStages(tx, record);
  },
});
