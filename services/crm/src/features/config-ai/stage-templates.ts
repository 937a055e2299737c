import type { GeneratedStages } from '@tandem/crm-contract';
import type { z } from 'zod';
import { type Variant, variantOf } from './variant.ts';

type Line = [code: string, name: string, probability: number, description: string];
interface Process {
  /** Open stages in order. The codes differ from those of the default stages, which every tenant has. */
  open: readonly Line[];
  won: [code: string, name: string, description: string];
  lost: [code: string, name: string, description: string];
}

const processes: Record<Variant, Process> = {
  real_estate: {
    open: [
      ['property_matched', 'Property matched', 10, 'A matching property was proposed'],
      ['property_viewed', 'Property viewed', 25, 'The buyer viewed the property and is interested'],
      ['offer_made', 'Offer made', 50, 'The seller has received an offer'],
      ['offer_accepted', 'Offer accepted', 75, 'The seller and the buyer agreed on a price'],
      ['contract_review', 'Contract review', 90, 'A notary or lawyer is reviewing the contract'],
    ],
    won: ['contract_signed', 'Contract signed', 'The property was sold or rented'],
    lost: ['deal_fell_through', 'Fell through', 'The buyer did not get the property'],
  },
  recruiting: {
    open: [
      ['profile_sent', 'Profile sent', 10, 'The client received the candidate’s profile'],
      ['first_interview', 'First interview', 25, 'The client interviewed the candidate'],
      ['second_interview', 'Second interview', 50, 'The team interviewed the candidate'],
      ['offer_extended', 'Offer extended', 80, 'The candidate received an offer'],
    ],
    won: ['placed', 'Placed', 'The candidate signed the contract'],
    lost: ['not_placed', 'Not placed', 'The client or the candidate declined'],
  },
  insurance: {
    open: [
      ['needs_assessed', 'Needs assessed', 15, 'The risks to cover are known'],
      ['quote_sent', 'Quote sent', 35, 'The customer has received a quote'],
      ['application_received', 'Application received', 60, 'The customer submitted an application'],
      ['underwriting', 'Underwriting', 80, 'The insurer is assessing the risk'],
    ],
    won: ['policy_issued', 'Policy issued', 'The policy is in force'],
    lost: ['declined', 'Declined', 'The customer or the insurer declined'],
  },
  events: {
    open: [
      ['concept', 'Concept', 15, 'The concept of the event is in progress'],
      ['offer_sent', 'Offer sent', 40, 'The customer has received an offer'],
      ['date_reserved', 'Date reserved', 60, 'The date is reserved for the customer'],
      ['contract_sent', 'Contract sent', 80, 'The customer has received the contract'],
    ],
    won: ['booked', 'Booked', 'The customer booked the event with us'],
    lost: ['booking_lost', 'Not booked', 'The customer booked elsewhere or cancelled the event'],
  },
  saas: {
    open: [
      ['discovery', 'Discovery', 10, 'The problem and the decision makers are known'],
      ['demo', 'Demo', 25, 'The customer saw a demo of the product'],
      ['trial', 'Trial', 45, 'The customer is using a trial of the product'],
      ['security_review', 'Security review', 65, 'Security, privacy and legal review in progress'],
      ['contract_sent', 'Contract sent', 85, 'The customer has received the contract'],
    ],
    won: ['closed_won', 'Closed won', 'The customer started a subscription'],
    lost: ['closed_lost', 'Closed lost', 'The customer decided not to buy'],
  },
  generic: {
    open: [
      ['discovery', 'Discovery', 10, 'The customer’s needs are being clarified'],
      ['solution_fit', 'Solution fit', 30, 'Our solution matches the customer’s needs'],
      ['offer_sent', 'Offer sent', 50, 'The customer has received an offer'],
      ['decision', 'Decision', 75, 'The customer is making a decision'],
    ],
    won: ['closed_won', 'Closed won', 'The customer bought'],
    lost: ['closed_lost', 'Closed lost', 'The customer did not buy'],
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
