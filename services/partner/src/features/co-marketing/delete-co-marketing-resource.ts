import { type coMarketing, coMarketingDeleted } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { lockResource, resourceEvent } from './resource.ts';
import { revokeShareLink } from './share-token.ts';

export const deleteCoMarketingResource: Handler<typeof coMarketing.deleteCoMarketingResource> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const resource = await lockResource(tx, params.id);
  ifMatch(resource);
  await revokeShareLink(tx, resource.shareToken);
  await tx.coMarketingResource.deleteMany({ where: { id: resource.id } });
  emit(coMarketingDeleted, resourceEvent(resource));
  return { id: resource.id, deleted: true };
};
