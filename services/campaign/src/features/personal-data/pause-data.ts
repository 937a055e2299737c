import { MessageChannel } from '@tandem/campaign-contract';
import { timestamp } from '@tandem/contract';
import { exportSection, type PersonalData } from '@tandem/service';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { digestsOfPerson } from './addresses.ts';

const Pause = z.object({ channel: MessageChannel, pausedUntil: timestamp() });

/** Pauses that a person asked for. */
export const pauseData = (tools: Pick<Tools, 'seal'>): PersonalData<Tx> => ({
  async erase({ tx, person }) {
    const { count } = await tx.contactPause.deleteMany({ where: { digest: { in: digestsOfPerson(tools, person) } } });
    return { messagePauses: count };
  },
  async read({ tx, person }) {
    const where = { digest: { in: digestsOfPerson(tools, person) } };
    return [
      await exportSection('messagePauses', Pause, {
        count: () => tx.contactPause.count({ where }),
        find: async (take) =>
          z.array(Pause.extend({ pausedUntil: z.date() })).parse(await tx.contactPause.findMany({ where, take })),
      }),
    ];
  },
});
