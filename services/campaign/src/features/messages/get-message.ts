import type { messages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asMessage } from './message.ts';

export const getMessage: Handler<typeof messages.getMessage> = async ({ params, tx }) => {
  const row = await tx.message.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asMessage(row);
};
