// A password that a mailed link lets one choose; the sign-in page has the address then.

import { carryAddress } from './common/fields.js';
import './password.js';

carryAddress();
