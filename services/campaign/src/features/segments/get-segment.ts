import type { segments } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSegment } from './segment.ts';

export const getSegment: Handler<typeof segments.getSegment> = async ({ params, tx }) => {
  const row = await tx.segment.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asSegment(row);
};
