// Sends text messages through a provider with Twilio's API.
export type { SmsAttempt, SmsDriver, SmsMessage } from './driver.ts';
export { createHttpDriver } from './http-driver.ts';
export { type SmsSettings, smsSettings } from './settings.ts';
