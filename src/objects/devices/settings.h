/* SPDX-License-Identifier: Apache-2.0 */
/** What the environment asks for. */
#ifndef TEAMWORK_OBJECTS_SETTINGS_H
#define TEAMWORK_OBJECTS_SETTINGS_H

/* Reads TW_LOG, warns of misspelt variables, and logs those that are set. Called with the discovery lock held. */
void tw_settings_tell(void);

#endif
