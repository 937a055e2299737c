// Calls operations by their contract rows: the platform's public API for programs outside, a service's for services inside.

export { createServiceClient, orAbsent, ServiceCallError, type ServiceClient } from './internal.ts';
export { type ApiClient, ApiError, createClient } from './public.ts';
