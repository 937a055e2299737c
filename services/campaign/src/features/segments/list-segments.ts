import type { segments } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asSegment } from './segment.ts';

export const listSegments: Handler<typeof segments.listSegments> = async ({ query, tx, list }) => {
  const where = query.type ? { type: query.type } : {};
  const page = await list({ model: tx.segment, where, searchIn: ['name', 'description'] });
  return { ...page, items: page.items.map(asSegment) };
};
