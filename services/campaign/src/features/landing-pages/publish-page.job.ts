import { id, timestamp } from '@tandem/contract';
import { type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { LandingPage as LandingPageRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type AddressTools, asFullPage } from './landing-page.ts';
import { arrangePage, changePage, isEmptyNow, publishPage } from './publish-page.ts';

/** Job that publishes a page at its time. */
export const publishPageJob = {
  name: 'publish-page',
  payload: z.object({ landingPageId: id('landing_page'), publishAt: timestamp() }),
};

type Payload = z.output<typeof publishPageJob.payload>;

/** Publishes a page at the time of its plan. The job of a plan that was changed or removed has no effect. */
export const publishPlannedPage = (tools: AddressTools & Pick<Tools, 'cleaner'>) =>
  job({
    ...publishPageJob,
    async run({ payload, tx, outside, finish }: JobContext<Payload, Tx>) {
      const row = await tx.landingPage.findFirst({ where: { id: payload.landingPageId } });
      if (!row || !isPlanned(row, payload)) return;
      const { html, isEmpty } = await outside(() => arrangePage(tools.cleaner, asFullPage(row, tools)));
      await finish(async ({ tx: inside, emit }) => {
        const locked = await inside.landingPage.lockFirst({ where: { id: row.id } });
        if (!locked || !isPlanned(locked, payload)) return;
        // Somebody changed the page meanwhile: run again with its current content.
        if (locked.version !== row.version) return new Date();
        const page = asFullPage(locked, tools);
        const isUnchanged = page.status === 'published' && !page.hasUnpublishedChanges;
        // Only a page whose sections were all hidden since, or whose form is not published, is empty here.
        if (isUnchanged || (await isEmptyNow(inside, page, { isEmpty })))
          await changePage({ tx: inside, emit, tools }, page, { publishAt: null });
        else await publishPage({ tx: inside, emit, tools }, page, { body: html, publishedBy: null });
      });
    },
  });

function isPlanned({ status, publishAt }: LandingPageRow, plan: Payload): boolean {
  return status !== 'archived' && publishAt?.getTime() === plan.publishAt.getTime();
}
