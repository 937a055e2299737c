import type { topics } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

export const getTopic: Handler<typeof topics.getTopic> = async ({ params, tx }) => {
  const topic = await tx.topic.findFirst({ where: { id: params.id } });
  if (!topic) throw fail('not_found');
  return topic;
};
