// The frame of one antenna: holds a reader board flat under the spot where a card lies. It goes into a
// cut-out of the table's 10 mm foam board, plate up, flush with the top; the mat lies over it.
//
//   openscad -o antenna-rc522.stl antenna.scad
//   openscad -D 'board="pn532"' -o antenna-pn532.stl antenna.scad
//
// Print as it stands (plate down, pocket up), without support. Plastic only: no metal near an antenna.
// All lengths in millimetres.

/* [Which board] */
board = "rc522";            // [rc522, pn532]

/* [Boards: measure yours] */
rc522 = [60.0, 40.0];
pn532 = [42.7, 40.4];
thick = 1.7;                // of the board itself

/* [Table] */
card = [63, 88];            // poker size
margin = 4;                 // of the plate around the card
foam = 10;                  // thickness of the foam board

/* [Print] */
plate = 1.2;                // between card and antenna: thin, since it costs range
wall = 1.6;
fit = 0.3;
$fn = 32;

size = board == "pn532" ? pn532 : rc522;
// The board lies across the card: its antenna's middle under the card's middle.
outline = [card[0] + 2 * margin, card[1] + 2 * margin];
pocket = [size[0] + 2 * fit, size[1] + 2 * fit];
hook = 1.0;
tongue = 12;

module rounded(w, d, r) { offset(r) square([w - 2 * r, d - 2 * r], center = true); }

// A tongue that the board snaps under: springy because it stands free; its nose needs no support.
module clip() {
    top = plate + thick + 0.2;
    rotate([90, 0, 0]) linear_extrude(tongue, center = true) polygon([
        [0, 0], [wall, 0], [wall, top + hook + 1.6], [0, top + hook + 1.6],
        [-hook, top + hook + 0.6], [-hook, top + hook], [0, top],
    ]);
}

union() {
    linear_extrude(plate) rounded(outline[0], outline[1], 4);
    // Rails along the long sides keep the board from sliding; wires leave between them and the clips.
    for (side = [-1, 1]) {
        translate([0, side * (pocket[1] / 2 + wall / 2), 0])
            linear_extrude(plate + 4) square([pocket[0] - 16, wall], center = true);
        rotate(side > 0 ? 0 : 180) translate([pocket[0] / 2, 0, 0]) clip();
    }
    // Feet down to the board that carries everything.
    for (x = [-1, 1], y = [-1, 1])
        translate([x * (outline[0] / 2 - 5), y * (outline[1] / 2 - 5), 0]) cylinder(d = 8, h = foam);
    // Ribs keep the thin plate flat.
    for (y = [-1, 1]) translate([0, y * (outline[1] / 2 - 2), 0])
        linear_extrude(plate + 3) square([outline[0] - 12, wall], center = true);
}
