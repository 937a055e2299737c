import { type coMarketing, coMarketingUpdated } from '@tandem/partner-contract';
import { diff } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkTransition, lockResource, readResource, resourceEvent, writeResource } from './resource.ts';
import { createShareLink, makeToken, revokeShareLink } from './share-token.ts';
import { checkSource, type Source } from './source.ts';

const sourceFields = ['fileId', 'fileUrl', 'landingPageId', 'campaignId'] as const;

export const updateCoMarketingResource = ({
  peers,
}: Tools): Handler<typeof coMarketing.updateCoMarketingResource, Source | undefined> => ({
  async check({ params, body, caller, tx }) {
    const changedFields = sourceFields.filter((field) => body[field] !== undefined);
    if (!changedFields.length) return undefined;
    const resource = await readResource(tx, params.id);
    const changed = Object.fromEntries(changedFields.map((field) => [field, body[field]]));
    return checkSource(peers, { ...resource, ...changed }, { requested: changed, caller });
  },

  async run({ params, body, found, caller, tx, emit, ifMatch }) {
    const resource = await lockResource(tx, params.id);
    ifMatch(resource);
    const { fileId, fileUrl, landingPageId, campaignId, ...fields } = body;
    const { isEmpty, values, audit } = diff(resource, { ...fields, ...found });
    if (isEmpty) return resource;
    const { shareEnabled, status } = values;
    if (status) checkTransition(resource, status);
    const shareToken = shareEnabled ? makeToken() : null;
    if (shareEnabled === false) await revokeShareLink(tx, resource.shareToken);
    if (shareToken) await createShareLink(tx, shareToken, resource.id, caller);
    const updated = await writeResource(tx, resource.id, {
      ...values,
      ...(shareEnabled !== undefined && { shareToken }),
    });
    emit(coMarketingUpdated, { ...resourceEvent(updated), changes: audit });
    return updated;
  },
});
