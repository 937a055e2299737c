import { type coMarketing, coMarketingUpdated } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { lockResource, moveResource, resourceEvent } from './resource.ts';

export const activateCoMarketingResource: Handler<typeof coMarketing.activateCoMarketingResource> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const resource = await lockResource(tx, params.id);
  ifMatch(resource);
  const { moved, changes } = await moveResource(tx, resource, 'active');
  emit(coMarketingUpdated, { ...resourceEvent(moved), changes });
  return moved;
};
