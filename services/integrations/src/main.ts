import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { integrationsService } from './service.ts';

startService(integrationsService(settings));
