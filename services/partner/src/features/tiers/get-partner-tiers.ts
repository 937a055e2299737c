import type { tiers } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readTiers } from './tier-rules.ts';

export const getPartnerTiers: Handler<typeof tiers.getPartnerTiers> = ({ tx }) => readTiers(tx);
