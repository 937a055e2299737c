import type { GeneratedStages } from '@tandem/crm-contract';
import type { z } from 'zod';
import { type Variant, variantOf } from './variant.ts';

type Line = [code: string, name: string, probability: number, description: string];
interface Process {
  /** Open stages in order. No code repeats a default stage of every tenant. */
  open: readonly Line[];
  won: [code: string, name: string, description: string];
  lost: [code: string, name: string, description: string];
}

const processes: Record<Variant, Process> = {
  real_estate: {
    open: [
      ['property_matched', 'Property matched', 10, 'A property that fits was proposed'],
      ['property_viewed', 'Property viewed', 25, 'The property was seen and is wanted'],
      ['offer_made', 'Offer made', 50, 'An offer lies with the seller'],
      ['offer_accepted', 'Offer accepted', 75, 'Seller and buyer agree on the price'],
      ['contract_review', 'Contract review', 90, 'The contract is with the notary or lawyer'],
    ],
    won: ['contract_signed', 'Contract signed', 'The property is sold or let'],
    lost: ['deal_fell_through', 'Fell through', 'The property was not sold to this buyer'],
  },
  recruiting: {
    open: [
      ['profile_sent', 'Profile sent', 10, 'The client has the profile'],
      ['first_interview', 'First interview', 25, 'The client met the candidate'],
      ['second_interview', 'Second interview', 50, 'The team met the candidate'],
      ['offer_extended', 'Offer extended', 80, 'The candidate has an offer'],
    ],
    won: ['placed', 'Placed', 'The candidate has signed'],
    lost: ['not_placed', 'Not placed', 'The client or the candidate declined'],
  },
  insurance: {
    open: [
      ['needs_assessed', 'Needs assessed', 15, 'What is to be covered is known'],
      ['quote_sent', 'Quote sent', 35, 'A quote lies with the customer'],
      ['application_received', 'Application received', 60, 'The customer has applied'],
      ['underwriting', 'Underwriting', 80, 'The insurer examines the risk'],
    ],
    won: ['policy_issued', 'Policy issued', 'The policy is in force'],
    lost: ['declined', 'Declined', 'The customer or the insurer declined'],
  },
  events: {
    open: [
      ['concept', 'Concept', 15, 'The idea of the event is being worked out'],
      ['offer_sent', 'Offer sent', 40, 'An offer lies with the customer'],
      ['date_reserved', 'Date reserved', 60, 'The date is kept for the customer'],
      ['contract_sent', 'Contract sent', 80, 'The contract waits for its signature'],
    ],
    won: ['booked', 'Booked', 'The event takes place with us'],
    lost: ['booking_lost', 'Not booked', 'The event takes place elsewhere or not at all'],
  },
  saas: {
    open: [
      ['discovery', 'Discovery', 10, 'The problem and who decides are known'],
      ['demo', 'Demo', 25, 'The product was shown'],
      ['trial', 'Trial', 45, 'The customer tries the product'],
      ['security_review', 'Security review', 65, 'Security, privacy and law are examined'],
      ['contract_sent', 'Contract sent', 85, 'The contract waits for its signature'],
    ],
    won: ['closed_won', 'Closed won', 'The subscription begins'],
    lost: ['closed_lost', 'Closed lost', 'The customer does not buy'],
  },
  generic: {
    open: [
      ['discovery', 'Discovery', 10, 'The need is being understood'],
      ['solution_fit', 'Solution fit', 30, 'What we offer fits the need'],
      ['offer_sent', 'Offer sent', 50, 'An offer lies with the customer'],
      ['decision', 'Decision', 75, 'The customer is deciding'],
    ],
    won: ['closed_won', 'Closed won', 'The customer has bought'],
    lost: ['closed_lost', 'Closed lost', 'The customer has not bought'],
  },
};
const colors = ['blue', 'cyan', 'yellow', 'orange', 'purple'];

/** Sales stages for a prompt when no AI provider is configured. */
export function stageTemplate(prompt: string): z.output<typeof GeneratedStages> {
  const { open, won, lost } = processes[variantOf(prompt)];
  const stages = [
    ...open.map(([code, name, defaultProbability, description], index) => ({
      code,
      name,
      description,
      color: colors[index % colors.length] as string,
      isDefault: index === 0,
      isClosed: false,
      isWon: false,
      defaultProbability,
    })),
    { ...closedStage(won), color: 'green', isWon: true, defaultProbability: 100 },
    { ...closedStage(lost), color: 'red', isWon: false, defaultProbability: 0 },
  ];
  return { stages: stages.map((stage, sortOrder) => ({ ...stage, sortOrder })) };
}

function closedStage([code, name, description]: Process['won']) {
  return { code, name, description, isDefault: false, isClosed: true };
}
