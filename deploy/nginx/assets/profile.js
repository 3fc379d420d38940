// The profile page: a picture is cut before it is sent.

import { startForms } from './common/forms.js';
import { cropped, startAvatar } from './profile/avatar.js';
import { startImport } from './profile/own_data.js';

startForms(async (form) => {
  if (form.id === 'avatar-form') await cropped();
});
startAvatar();
startImport();
