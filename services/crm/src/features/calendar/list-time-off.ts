import type { timeOff } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const listTimeOff: Handler<typeof timeOff.listTimeOff> = ({ query: { userId, current }, tx, list }) => {
  const now = new Date();
  return list({
    model: tx.timeOff,
    where: { ...(userId !== undefined && { userId }) },
    and: current === undefined ? [] : [{ to: current ? { gt: now } : { lte: now } }],
  });
};
