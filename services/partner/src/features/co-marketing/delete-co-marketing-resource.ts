import { type coMarketing, coMarketingDeleted } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { lockResource, told } from './resource.ts';
import { closeLink } from './share-token.ts';

export const deleteCoMarketingResource: Handler<typeof coMarketing.deleteCoMarketingResource> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const resource = await lockResource(tx, params.id);
  ifMatch(resource);
  await closeLink(tx, resource.shareToken);
  await tx.coMarketingResource.deleteMany({ where: { id: resource.id } });
  emit(coMarketingDeleted, told(resource));
  return { id: resource.id, deleted: true };
};
