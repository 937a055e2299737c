import type { forecast } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { type Converter, converterTo } from '../exchange-rates/exchange-rates.ts';
import { readParts } from './parts.ts';
import { leaveOut, type Part, sumsOf } from './sums.ts';

export const getOpportunitySummary = (peers: Peers): Handler<typeof forecast.getOpportunitySummary, string> => ({
  check: ({ caller }) => peers.currencyOf(caller),
  async run({ query, tx, found: base }) {
    const { pipelineId, status, ownerId, teamId, leadId, closeFrom, closeTo, createdFrom, createdTo } = query;
    const converter = await converterTo(tx, { base, currency: query.currency ?? base });
    const where = {
      ...(pipelineId !== undefined && { pipelineId }),
      ...(status && { status }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
      ...(leadId !== undefined && { leadId }),
      AND: [
        ...(closeFrom ? [{ expectedCloseAt: { gte: closeFrom } }] : []),
        ...(closeTo ? [{ expectedCloseAt: { lte: closeTo } }] : []),
        ...(createdFrom ? [{ createdAt: { gte: createdFrom } }] : []),
        ...(createdTo ? [{ createdAt: { lte: createdTo } }] : []),
      ],
    };
    const parts = await readParts(tx, where, 'stageId');
    leaveOut(parts, converter);
    const byStage = Map.groupBy(parts, ({ stageId }) => stageId as number);
    const stages = await tx.statusDefinition.findMany({
      where: { id: { in: [...byStage.keys()] } },
      orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
    });
    return {
      stages: stages.map(({ id, code, name }) => {
        const own = byStage.get(id) ?? [];
        return { stageId: id, stage: code, name, status: own[0]?.status as 'open', ...summed(own, converter) };
      }),
      total: summed(parts, converter),
      currency: converter.currency,
      rates: converter.used(),
      unconverted: converter.unconverted(),
    };
  },
});

function summed(parts: Part[], converter: Converter) {
  const { count, value, expectedValue } = sumsOf(parts, converter);
  return { count, value, weightedValue: expectedValue };
}
