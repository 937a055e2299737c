import { planOffers, type tenants } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';

export const listPlans: Handler<typeof tenants.listPlans> = () => planOffers;
