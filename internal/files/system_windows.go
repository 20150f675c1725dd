package files

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

var full = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}

// Windows has no modes: an access control list defines who can read a file.

// CheckPrivate returns an error if users other than its owner can read a file. The system and
// its administrators may read it, like root on other systems.
func CheckPrivate(path string) error {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("%s: read its access control list: %w", path, err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("%s: read its owner: %w", path, err)
	}
	trusted, err := trustees()
	if err != nil {
		return err
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil { // without a list everybody has access
		return notPrivate(path, "everybody")
	}
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return fmt.Errorf("%s: read its access control list: %w", path, err)
		}
		if ace.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE || ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || !sid.Equals(owner) && !slices.ContainsFunc(trusted, sid.Equals) {
			return notPrivate(path, sid.String())
		}
	}
	return nil
}

func notPrivate(path, who string) error {
	return fmt.Errorf(`%s: want a file that only its owner can read, got one that %s can: icacls "%s" /inheritance:r /grant:r "%%USERNAME%%:F"`, path, who, path)
}

// trustees returns this process's user, the system, and the administrators.
func trustees() ([]*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("user of this process: %w", err)
	}
	all := []*windows.SID{user.User.Sid}
	for _, known := range []windows.WELL_KNOWN_SID_TYPE{windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid} {
		sid, err := windows.CreateWellKnownSid(known)
		if err != nil {
			return nil, err
		}
		all = append(all, sid)
	}
	return all, nil
}

// Restrict denies access to a file or folder, and to new files in it, to all but its owner.
func Restrict(path string) error {
	trusted, err := trustees()
	if err != nil {
		return err
	}
	var entries []windows.EXPLICIT_ACCESS
	for _, sid := range trusted {
		entries = append(entries, windows.EXPLICIT_ACCESS{
			AccessPermissions: windows.GENERIC_ALL, AccessMode: windows.GRANT_ACCESS,
			Inheritance: windows.SUB_CONTAINERS_AND_OBJECTS_INHERIT,
			Trustee:     windows.TRUSTEE{TrusteeForm: windows.TRUSTEE_IS_SID, TrusteeValue: windows.TrusteeValueFromSID(sid)},
		})
	}
	list, err := windows.ACLFromEntries(entries, nil)
	if err == nil {
		err = windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
			windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: deny access to other users: %w", path, err)
	}
	return nil
}

// rename replaces a file by another, and returns when the change is on disk.
func rename(from, to string) error {
	source, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	target, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(source, target, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH); err != nil {
		return fmt.Errorf("rename %s to %s: %w", from, to, err)
	}
	return nil
}

// SyncDir does nothing: Windows cannot sync folders. NTFS keeps a journal of names.
func SyncDir(string) error { return nil }

// take locks an open file, or returns [ErrHeld] if it is not to wait. The lock is on a byte behind
// the end of any file: others could not read or write a byte that is locked.
func take(f *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
