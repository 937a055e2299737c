import type { hierarchy } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getPartnerHierarchy } from './get-partner-hierarchy.ts';
import { getPartnerUpline } from './get-partner-upline.ts';
import { listDownline } from './list-downline.ts';
import { listParentChanges } from './list-parent-changes.ts';
import { setPartnerParent } from './set-partner-parent.ts';

export const hierarchyHandlers = {
  getPartnerHierarchy,
  getPartnerUpline,
  listDownline,
  setPartnerParent,
  listParentChanges,
} satisfies Handlers<typeof hierarchy, Tx>;
