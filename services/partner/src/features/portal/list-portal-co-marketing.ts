import type { portal } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { listResources } from '../co-marketing/list-co-marketing-resources.ts';
import { visibleTo } from './visible-material.ts';

export const listPortalCoMarketing: Handler<typeof portal.listPortalCoMarketing> = async (context) =>
  listResources(context, await visibleTo(context.tx, context.caller));
