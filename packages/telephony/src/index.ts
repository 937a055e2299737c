// Makes telephone calls through a provider with Twilio's API.
export type {
  CallReport,
  CallState,
  CallStatus,
  CallToStart,
  ListedCall,
  StartedCall,
  TelephonyDriver,
} from './driver.ts';
export { endedStatuses, TelephonyUnavailableError } from './driver.ts';
export { type TelephonySettings, telephonySettings } from './settings.ts';
export { isSigned } from './signature.ts';
export { createTwilioDriver } from './twilio-driver.ts';
export { twimlOf } from './twiml.ts';
