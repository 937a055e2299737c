import type { forecast } from '@tandem/crm-contract';
import type { Handler, Peers } from '../../handler.ts';
import { listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { type Converter, converterTo } from '../exchange-rates/exchange-rates.ts';
import { listedOpportunities } from '../opportunities/list-opportunities.ts';
import { readParts } from './parts.ts';
import { leaveOut, type Part, sumsOf } from './sums.ts';

export const getOpportunitySummary = (peers: Peers): Handler<typeof forecast.getOpportunitySummary, string> => ({
  check: ({ caller }) => peers.currencyOf(caller),
  async run({ query, tx, found: base }) {
    const { currency = base, createdFrom, createdTo, groupBy: _, ...filters } = query;
    const converter = await converterTo(tx, { base, currency });
    const { conditions } = await listByCustomFields(tx, 'opportunity', filters);
    const isByAmount = filters.valueMin !== undefined || filters.valueMax !== undefined;
    const listed = listedOpportunities({ ...filters, ...(isByAmount && { currency }) }, conditions);
    const where = {
      ...listed.where,
      AND: [
        ...(listed.and ?? []),
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
