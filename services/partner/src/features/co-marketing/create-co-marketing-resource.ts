import { actingUserId } from '@tandem/caller';
import { type coMarketing, coMarketingCreated } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asResource, resourceEvent } from './resource.ts';
import { createShareLink, makeToken } from './share-token.ts';
import { checkSource, type Source } from './source.ts';

export const createCoMarketingResource = ({
  peers,
}: Tools): Handler<typeof coMarketing.createCoMarketingResource, Source> => ({
  check: ({ body, caller }) => checkSource(peers, body, { requested: body, caller }),
  async run({ body, found, caller, tx, emit }) {
    const shareToken = body.shareEnabled ? makeToken() : null;
    const row = await tx.coMarketingResource.create({
      data: { ...body, ...found, shareToken, createdBy: actingUserId(caller) ?? null },
    });
    if (shareToken) await createShareLink(tx, shareToken, row.id, caller);
    const resource = asResource(row);
    emit(coMarketingCreated, resourceEvent(resource));
    return resource;
  },
});
