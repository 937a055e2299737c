import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { dealRegistrationExpired } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { finishConversion, openDeal } from './conversion.ts';
import { asDeal, movedEvent, writeDeal } from './deal-registration.ts';
import { expireDealRegistrationJob } from './expiry-job.ts';

const hourMs = 3_600_000;

type Payload = z.output<typeof expireDealRegistrationJob.payload>;

/**
 * Ends the protection of an approved registration. A conversion that was interrupted is finished instead, because its lead and
 * its deal may exist.
 */
export const expireDealRegistration = ({ peers }: Pick<Tools, 'peers'>) =>
  job({
    ...expireDealRegistrationJob,
    async run({ payload, scope, tx, outside, finish }: JobContext<Payload, Tx>) {
      const { dealRegistrationId: id, protectedUntil } = payload;
      const where = { id, status: 'approved', protectedUntil };
      const found = await tx.dealRegistration.findFirst({ where });
      if (!found) return;
      const as = { ...scope, requestId: `deal_registration_${id}` };
      const opened = found.convertingAt ? await outside(() => openDeal(peers, asDeal(found), { as })) : undefined;
      await finish(async (inside) => {
        const row = await inside.tx.dealRegistration.lockFirst({ where });
        if (!row) return;
        const deal = asDeal(row);
        if (opened) {
          await finishConversion(inside, deal, { opened, by: 'expiry' });
          return;
        }
        // A conversion began meanwhile.
        if (deal.convertingAt) return new Date();
        const expired = await writeDeal(inside.tx, id, { status: 'expired' });
        inside.emit(dealRegistrationExpired, movedEvent(expired, deal.status));
      });
    },
    /** Otherwise the registration would stay approved for ever. */
    async giveUp({ payload, schedule }: GiveUpContext<Payload, Tx>) {
      await schedule(expireDealRegistrationJob, [payload], new Date(Date.now() + hourMs));
    },
  });
